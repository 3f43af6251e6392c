// Numbers of 60 decimal digits for the oracle. Boost.Multiprecision does the work, in real.cc alone: a test that only
// computes with such numbers need not compile it.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

namespace chronoveil::accounting::oracle {

// Mixes with built-in numbers, which it holds exactly.
class Real {
 public:
  Real() : Real(0) {}
  Real(int x);
  Real(long x);
  Real(unsigned long x);
  Real(double x);
  Real(long double x);
  Real(const Real& other);
  Real& operator=(const Real& other);
  ~Real();

  explicit operator double() const;
  explicit operator long double() const;
  explicit operator long() const;
  std::string str(int digits) const;

  Real operator-() const;
  Real& operator+=(const Real& other);
  Real& operator-=(const Real& other);
  Real& operator*=(const Real& other);
  Real& operator/=(const Real& other);

  friend Real operator+(Real a, const Real& b) { return a += b; }
  friend Real operator-(Real a, const Real& b) { return a -= b; }
  friend Real operator*(Real a, const Real& b) { return a *= b; }
  friend Real operator/(Real a, const Real& b) { return a /= b; }
  friend bool operator<(const Real& a, const Real& b);
  friend bool operator<=(const Real& a, const Real& b);
  friend bool operator>(const Real& a, const Real& b) { return b < a; }
  friend bool operator>=(const Real& a, const Real& b) { return b <= a; }

  friend Real abs(const Real& x);
  friend Real floor(const Real& x);
  friend Real ceil(const Real& x);
  friend Real sqrt(const Real& x);
  friend Real exp(const Real& x);
  friend Real expm1(const Real& x);
  friend Real log(const Real& x);
  friend Real log1p(const Real& x);
  friend Real pow(const Real& x, int power);
  friend Real sinh(const Real& x);
  friend Real cos(const Real& x);
  friend Real atan(const Real& x);
  friend std::ostream& operator<<(std::ostream& out, const Real& x);

 private:
  alignas(16) std::byte storage_[64];  // holds one number of Boost's
};

}  // namespace chronoveil::accounting::oracle
