"""What pages of reports hold."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """What a page holds: its tags, headings, text, addresses, and its tables as lists of rows."""

    def __init__(self, path):
        super().__init__()
        self.tags, self.headings, self.tables, self.sources = [], [], [], []
        self.open, self.text = [], ""
        self.feed(path.read_text())
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.sources += [value for name, value in attributes if name in ("src", "href")]
        if tag not in ("meta", "img", "br", "link"):
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
        if self.open and self.open[-1] in ("td", "th"):
            self.tables[-1][-1][-1] += data
        elif self.open and self.open[-1] == "h2":
            self.headings.append(data)
