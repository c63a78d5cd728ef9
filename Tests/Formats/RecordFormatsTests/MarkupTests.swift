import Testing

@testable import RecordFormats

@Suite struct MarkupTests {
  @Test func `a text in markup is escaped, and cannot end an attribute or open an element`() {
    let text = "<script>\"x\" & 'y'</script>"
    let markup: Markup = "<p title=\"\(text)\">\(text)</p>"
    let escaped = "&lt;script&gt;&quot;x&quot; &amp; &#39;y&#39;&lt;/script&gt;"
    #expect(String(decoding: markup.bytes, as: UTF8.self) == "<p title=\"\(escaped)\">\(escaped)</p>")
  }

  @Test func `control characters and marks of direction are left out of a text`() {
    let text = "a\u{1B}[31mb\u{202E}c\u{0}d\ne"
    let markup: Markup = "\(text)"
    #expect(String(decoding: markup.bytes, as: UTF8.self) == "abcd\ne")
  }
}
