// Package catalogue holds the named experiments, one YAML file each, and the strict loader for them and for users' own.
//
// A file is checked as a whole before anything starts: what is wrong is said with file, line, column and what was
// expected. Where a file gives ranges or choices, the seed decides: Concrete draws them, and the same seed draws the
// same.
package catalogue
