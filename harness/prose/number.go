// Package prose writes figures and sentences for people: what the verifier's notes and every renderer share.
package prose

import "strconv"

// Thousands writes n with a comma before every third digit: 1,234,567.
func Thousands[T ~int | ~int64 | ~uint64](n T) string {
	if n < 0 {
		return "-" + grouped(-uint64(n))
	}
	return grouped(uint64(n))
}

func grouped(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Plural is n with its noun: 1 record, 1,204 records.
func Plural[T ~int | ~int64 | ~uint64](n T, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Thousands(n) + " " + noun + "s"
}
