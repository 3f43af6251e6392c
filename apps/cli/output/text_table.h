// Figures and tables for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace chronoveil::cli {

// Four significant digits: enough to compare noise by.
std::string figure(double value);
// "1 slot", "12 slots"
std::string counted(std::int64_t number, const char* one, const char* many);
// Columns padded to their widest cell, the last one free.
std::string table_text(const std::vector<std::vector<std::string>>& rows);

}  // namespace chronoveil::cli
