import AggregatorCore
import Testing

@Suite struct WebAddressTests {
  @Test(
    "a web address is read and written back",
    arguments: [
      "http://localhost:3000/", "https://comicvine.gamespot.com/api/characters/?a=b&c=d", "http://[::1]:8080/x",
      "http://bücher.example/", "http://a_b.example/", "http://[fe80::1%25eth0]/", "http://[::ffff:127.0.0.1]/",
    ])
  func roundTrip(text: String) { #expect(WebAddress(text)?.description == text) }

  @Test(
    "a text that is not an absolute web address is refused",
    arguments: [
      "", "localhost:3000", "ftp://a/", "http:/a", "http://", "http://a b/", "http://a:0/", "http://a:99999/", "http://me:pw@a/",
      "http://a:+8/", #"http://a\b/"#, "http://[v1.x]/", "http://[]/", "http://[::1/", "http://a<b/", "http://\u{FFFD}/", "http://a\"/",
    ])
  func refuses(text: String) { #expect(WebAddress(text) == nil) }

  @Test("a base address is joined with a path with or without its last slash", arguments: ["http://a/api", "http://a/api/"])
  func joins(base: String) { #expect(WebAddress(base)?.appending("characters/").description == "http://a/api/characters/") }

  @Test(
    "references are resolved as browsers do it",
    arguments: [
      ("http://b/c", "http://b/c"), ("//b/c", "http://b/c"), ("/x/../y", "http://a/y"), ("z?q=1", "http://a/p/z?q=1"),
      ("?q=2", "http://a/p/f?q=2"), ("../w", "http://a/w"), ("#top", "http://a/p/f?old"),
      ("./w/.#x", "http://a/p/w/"), ("/é?ü#ö", "http://a/%C3%A9?%C3%BC"), ("/x:y", "http://a/x:y"), ("?a:b", "http://a/p/f?a:b"),
      ("https://B:8/", "https://b:8/"), ("/a?/../b", "http://a/a?/../b"), ("HTTP://b", "http://b/"),
    ])
  func resolves(reference: String, expected: String) {
    #expect(WebAddress("http://a/p/f?old")?.resolving(reference)?.description == expected)
  }

  @Test(
    "a reference that leaves the web is refused", arguments: ["javascript:alert(1)", "mailto:a@b", "a:b", "/a b", "\n/a", "//", "http:x"])
  func outOfTheWeb(reference: String) { #expect(WebAddress("http://a/")?.resolving(reference) == nil) }

  @Test("a combining mark on a delimiter does not hide the delimiter")
  func marks() {
    #expect(WebAddress("http://a/\u{301}x?\u{301}y#\u{301}")?.description == "http://a/%CC%81x?%CC%81y")
    #expect(WebAddress("http://me@\u{301}b/") == nil && WebAddress("http:/\u{301}/a") == nil)
  }
}
