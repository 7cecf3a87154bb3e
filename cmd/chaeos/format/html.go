package format

// PageFile is the HTML page's name in a run's folder.
const PageFile = "report.html"

// htmlKind is a page for a browser. It reads the run's folder itself: a report has no timeline.
func htmlKind(pages Pages) Kind {
	return Kind{
		Name: "html", Title: "an HTML page",
		Help:  "write a page with a timeline for a browser, " + PageFile + " in each run's folder, or one run's to --output",
		File:  PageFile,
		Write: pages,
		Index: true,
	}
}
