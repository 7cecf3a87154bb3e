package main

import "io"

// pageFile is the HTML page's name in a run's folder.
const pageFile = "report.html"

// htmlFormat is a page for a browser. It reads the run's folder itself: a report has no timeline.
func htmlFormat() format {
	return format{
		name: "html", title: "an HTML page",
		help:  "write a page with a timeline for a browser, " + pageFile + " in each run's folder, or one run's to --output",
		file:  pageFile,
		write: func(a *app, w io.Writer, dir string) error { return a.parts.page(w, dir) },
		index: (*app).index,
	}
}
