import RecordFormats
import Testing

@Suite struct FormulaGuardTests {
  @Test(arguments: [
    ("=1+1", "'=1+1"), ("+49 30", "'+49 30"), ("-5", "'-5"), ("@cmd", "'@cmd"), ("\t=1", "'\t=1"), ("'=1", "''=1"), ("''-", "'''-"),
    ("'tis", "'tis"), ("a=b", "a=b"), ("", ""), ("'", "'"), ("=\u{301}x", "'=\u{301}x"), ("＝1", "'＝1"),
  ])
  func `a text that would begin a formula gets an apostrophe, and reading takes it back`(text: String, guarded: String) {
    #expect(FormulaGuard.added(to: text) == guarded)
    #expect((FormulaGuard.removed(from: guarded) ?? guarded) == text)
  }

  @Test func `a text that was not guarded stays as it is`() {
    #expect(FormulaGuard.removed(from: "=1+1") == nil)
    #expect(FormulaGuard.removed(from: "'tis") == nil)
  }
}
