// Package catalogue holds the named experiments, one YAML file each, and the strict loader for them and for users' own.
//
// A file is checked as a whole before anything starts: a mistake is an error with file, line, column and what was expected.
// The seed decides ranges and choices: Concrete draws them, and the same seed draws the same.
package catalogue
