import AggregatorCore
import Manifests
import Ports
import Testing

/// What is read off recordings in the shapes of well-known services, and which of it is wrong.
@Suite("Well-known services") struct KnownServicesTests {
  @Test("What a recording tells of a service is what its handbook says", arguments: KnownService.all)
  func facts(service: KnownService) throws {
    let seen = try Self.facts(of: RecordedService.model(service.write).list)
    let mistaken = Set(service.mistakes.keys.map(Self.subject))
    #expect(Set(service.facts).subtracting(seen) == Set(service.mistakes.keys))
    for fact in Set(seen).subtracting(service.facts) { #expect(mistaken.contains(Self.subject(of: fact)), "\(fact)") }
  }

  @Test("Most of them are understood, and none is taken for complete that may not be")
  func count() {
    let right = KnownService.all.count { $0.mistakes.isEmpty }
    #expect("\(right) of \(KnownService.all.count)" == "57 of 58")
  }

  /// What is known of a list, a line each; a total that nothing bears out is none.
  private static func facts(of list: ListModel) -> [String] {
    let facts: [(String, (any CustomStringConvertible)?)] = [
      ("paging", list.paging.value), ("size", list.size?.value), ("rows", list.items.value), ("key", list.key?.value),
      ("total", list.total.flatMap { $0.confidence > .weak ? $0.value : nil }), ("pages", list.pageCount),
      ("more", list.more?.value), ("title", list.title?.value), ("unwrap", list.unwrap), ("unfollowed", list.unfollowed),
    ]
    return facts.compactMap { subject, fact in fact.map { "\(subject): \($0)" } } + ["\(list.rows.count) on \(list.pages.count)"]
  }

  private static func subject(of fact: String) -> String { String(fact.prefix { $0 != ":" }) }

  @Test(
    "What cannot be read is refused by its name",
    arguments: [
      (#"<?xml version="1.0"?><rss version="2.0"><channel><item/></channel></rss>"#, 200, "is XML (rss), not JSON"),
      ("<!doctype html><html><body>Sign in</body></html>", 200, "is an HTML page, not JSON"),
      ("", 304, "304 (not modified)"), ("", 200, "empty"), (#"{"error":"no such key"}"#, 401, "status 401"),
    ])
  func refused(body: String, status: Int, reason: String) throws {
    let error = #expect(throws: SourceError.self) {
      try RecordedService.model {
        try $0.get("/feed", status: status, body)
        try $0.get("/feed?page=2", status: status, body)
      }
    }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    #expect(error?.remedy != nil)
  }
}
