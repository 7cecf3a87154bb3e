// Package kit is what checks are made of: what a check is and is shown (Check, Counting and the readers), how it says what it
// found (Finding), and what several checks count in the same way. Set is every check at work on one row.
package kit
