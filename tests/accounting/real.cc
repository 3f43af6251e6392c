#include "accounting/real.h"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <memory>
#include <new>
#include <ostream>

namespace chronoveil::accounting::oracle {
namespace {

using Number = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<60>, boost::multiprecision::et_off>;
static_assert(sizeof(Number) <= sizeof(Real) && alignof(Number) <= alignof(Real));

// The number lies at the start of a Real, its only member.
const Number& number(const Real& x) { return *std::launder(reinterpret_cast<const Number*>(&x)); }
Number& number(Real& x) { return *std::launder(reinterpret_cast<Number*>(&x)); }

Real real(const Number& x) {
  Real out;
  number(out) = x;
  return out;
}

}  // namespace

Real::Real(int x) { new (storage_) Number(x); }
Real::Real(long x) { new (storage_) Number(x); }
Real::Real(unsigned long x) { new (storage_) Number(x); }
Real::Real(double x) { new (storage_) Number(x); }
Real::Real(long double x) { new (storage_) Number(x); }
Real::Real(const Real& other) { new (storage_) Number(number(other)); }
Real& Real::operator=(const Real& other) {
  number(*this) = number(other);
  return *this;
}
Real::~Real() { std::destroy_at(&number(*this)); }

Real::operator double() const { return static_cast<double>(number(*this)); }
Real::operator long double() const { return static_cast<long double>(number(*this)); }
Real::operator long() const { return static_cast<long>(number(*this)); }
std::string Real::str(int digits) const { return number(*this).str(digits); }

Real Real::operator-() const { return real(-number(*this)); }
Real& Real::operator+=(const Real& other) {
  number(*this) += number(other);
  return *this;
}
Real& Real::operator-=(const Real& other) {
  number(*this) -= number(other);
  return *this;
}
Real& Real::operator*=(const Real& other) {
  number(*this) *= number(other);
  return *this;
}
Real& Real::operator/=(const Real& other) {
  number(*this) /= number(other);
  return *this;
}

bool operator<(const Real& a, const Real& b) { return number(a) < number(b); }
bool operator<=(const Real& a, const Real& b) { return number(a) <= number(b); }

Real abs(const Real& x) { return real(abs(number(x))); }
Real floor(const Real& x) { return real(floor(number(x))); }
Real ceil(const Real& x) { return real(ceil(number(x))); }
Real sqrt(const Real& x) { return real(sqrt(number(x))); }
Real exp(const Real& x) { return real(exp(number(x))); }
Real expm1(const Real& x) { return real(expm1(number(x))); }
Real log(const Real& x) { return real(log(number(x))); }
Real log1p(const Real& x) { return real(log1p(number(x))); }
Real pow(const Real& x, int power) { return real(pow(number(x), power)); }
Real sinh(const Real& x) { return real(sinh(number(x))); }
Real cos(const Real& x) { return real(cos(number(x))); }
Real atan(const Real& x) { return real(atan(number(x))); }
std::ostream& operator<<(std::ostream& out, const Real& x) { return out << number(x); }

}  // namespace chronoveil::accounting::oracle
