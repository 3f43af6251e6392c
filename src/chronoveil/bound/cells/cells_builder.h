// Cells in the making: rows go in, in any order, and bounded cells come out. See bounded_cells.h for what these are,
// and kept_records.h for why neither the order of rows nor the time of a cut matters.
//   People       a person is the exact string in the user column; string_table.h says why not its hash
//   Priorities   that of a cell is a PRF of (PRF of the person, cell). Two people whose 64-bit hashes are equal have
//                the same priorities; what stays of each still depends only on their own rows and the key
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "chronoveil/bound/cells/bounded_cells.h"
#include "chronoveil/bound/cells/placed_values.h"
#include "chronoveil/bound/kept_records.h"
#include "chronoveil/bound/people/siphash.h"
#include "chronoveil/bound/tables/string_table.h"

namespace chronoveil::bound {

class CellsBuilder {
 public:
  using Records = KeptRecords<SipHash>;

  // `first_cut`: how many records of a person are held before any is dropped.
  CellsBuilder(std::int64_t places, std::int64_t steps, const ValueGrid&, const CellCaps&, BitSource&,
               std::uint32_t first_cut = Records::kFirstCut);

  void add(const std::vector<PlacedValue>&);

  // Memory that records have taken so far, in lines of 64 bytes.
  std::size_t lines() const { return records_.lines(); }

  // Gives the cells away, made by `workers` threads. `left_out` is what was left out before rows came here.
  BoundedCells finish(const CellsLeftOut& left_out, unsigned workers) &&;

 private:
  // How much one worker has for a cell; later, where its next item goes.
  struct Share {
    std::uint64_t people = 0;
    std::uint64_t records = 0;
  };
  // People in the order of their identifiers, split among workers, and what each of these has for every cell.
  struct Split {
    std::vector<std::uint32_t> people;
    std::vector<std::vector<Share>> shares;  // by worker, by cell

    unsigned workers() const { return static_cast<unsigned>(shares.size()); }
    std::span<const std::uint32_t> of(unsigned worker) const;
  };

  void settle(Split&);             // everybody, and fills the shares
  void make_room(Split&);          // for all records, and turns shares into where they go
  void distribute(Split&);         // everybody's records into their cells, by identifier
  void arrange(unsigned workers);  // each cell by number of records

  static constexpr std::size_t kBlock = 64;
  BoundedCells cells_;
  SipHash person_hash_;
  StringTable people_;
  Records records_;
  std::array<std::uint64_t, kBlock> hash_;    // of the person of each row of a block
  std::array<std::uint32_t, kBlock> person_;  // the number
};

}  // namespace chronoveil::bound
