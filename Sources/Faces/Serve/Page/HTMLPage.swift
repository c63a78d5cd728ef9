import AggregatorCore
import CPages
import RecordFormats

/// A page for a browser: its content, in the frame that all pages share.
struct HTMLPage: Sendable {
  /// The title of the window, before the name of the program.
  var title: String
  /// The address in the navigation that leads here; nil if none does.
  var place: String?
  /// True without the search and the navigation, whose addresses want a token that is not given yet.
  var isBare = false
  var main: Markup

  init(_ title: String, at place: String? = nil, isBare: Bool = false, _ main: Markup) {
    (self.title, self.place, self.isBare, self.main) = (title, place, isBare, main)
  }

  /// The page as a reply.
  func reply(_ status: Int = 200, from service: Service, headers: [Request.Header] = []) -> Reply {
    Reply(status, Form.html.type, .bytes(document(of: service).bytes), headers: headers)
  }

  private func document(of service: Service) -> Markup {
    """
    \(Markup.head((title.isEmpty ? "" : title + " · ") + service.program, referrer: "same-origin"))
    <link rel="icon" href="\(PageAsset.icon.address)">
    <link rel="stylesheet" href="\(PageAsset.style.address)">
    <script src="\(PageAsset.script.address)" defer></script>
    </head>
    <body id="top">
    <a class="skip" href="#main">Skip to the content</a>
    <header class="bar">
    <a class="home" href="/"\(current("/"))>\(service.program)</a>
    \(navigation(of: service), if: !isBare)</header>
    <main id="main" tabindex="-1">
    \(main)</main>
    <footer><a href="#top">Back to top</a> <a href="/openapi.json">For programs</a> <span>\(service.program) \(service.version)</span></footer>
    </body>
    </html>

    """
  }

  private func navigation(of service: Service) -> Markup {
    """
    <form class="jump" role="search" aria-label="All sources" action="/-/search">
    <input type="search" name="text" id="jump" placeholder="Search everything" aria-label="Search everything" autocomplete="off" \
    aria-keyshortcuts="/"><kbd aria-hidden="true">/</kbd>
    <div id="jumps"></div>
    </form>
    <nav aria-label="Pages"><a href="/-/changes"\(current("/-/changes"))>Changes</a> <a href="/-/jobs"\(current("/-/jobs"))>Jobs</a></nav>
    \(Markup.button("Log out", posting: PageAddress("-", "logout"), style: "leave"), if: service.token != nil)

    """
  }

  private func current(_ address: String) -> Markup { address == place ? " aria-current=\"page\"" : "" }
}

/// A file that pages load. Its address has a digest of its bytes, so that a browser may keep it for good.
struct PageAsset: Sendable {
  let name, type: String
  let bytes: [UInt8]
  let address: String

  private init(_ name: String, _ type: String, _ text: PageText) {
    (self.name, self.type, bytes) = (name, type, Markup(text).bytes)
    address = "/-/files/\(String(Fingerprint.of(bytes), radix: 16))/\(name)"
  }

  static let style = PageAsset("page.css", "text/css; charset=utf-8", page_style_of_serve())
  static let script = PageAsset("page.js", "text/javascript; charset=utf-8", page_script_of_serve())
  static let icon = PageAsset("icon.svg", "image/svg+xml", page_icon())

  /// The reply with the file at that address; nil if no file has it.
  static func reply(at address: String) -> Reply? {
    [style, script, icon].first { $0.address == address }.map { file in
      Reply(200, file.type, .bytes(file.bytes), headers: [("Cache-Control", "public, max-age=31536000, immutable")])
    }
  }
}
