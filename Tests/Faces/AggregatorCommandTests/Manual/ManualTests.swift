import Testing

/// The manual page, as its readers see it.
@Suite("The manual page") struct ManualTests {
  private static let epoch = ["SOURCE_DATE_EPOCH": "86400"]

  private func page() async throws -> String {
    let outcome = try await expect(InProcess.run(["__man"], environment: Self.epoch), 0)
    return outcome.output
  }

  @Test("the manual page has every command, option, setting and exit code")
  func complete() async throws {
    // The text as it is read, without the escapes of the macros.
    let text = try await page().replacing(#"\-"#, with: "-").replacing(#"\:"#, with: "")
    let help = try await InProcess.run(
      ["help", "options"], environment: ["COLUMNS": "300"]
    ).lines.filter { $0.hasPrefix("  --") }
    #expect(help.count > 25)
    for line in help {
      let option = line.dropFirst(2).split(separator: "  ").first ?? ""
      #expect(text.contains(".B \"\(option)\""), "\(option)")
    }
    for name in ["countries deal", "users why ID", "import SOURCE FILE", "config set KEY", "COMIC_VINE_API_KEY", "NO_COLOR", "75", "130"] {
      #expect(text.contains("\n.TP\n.B \"\(name)\"\n"), "\(name)")
    }
    #expect(text.contains("aggregator heroes show batman\n"))
    #expect(!text.contains("__"))
  }

  @Test("the manual page is the same for the same sources at any time")
  func reproducible() async throws {
    #expect(try await page().hasPrefix(".TH AGGREGATOR 1 1970-01-02 "))
    #expect(try await page() == page())
  }

  @Test("the manual page is pure ASCII in short lines, so that any man shows it in any locale")
  func plain() async throws {
    let text = try await page()
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
    #expect(
      text.split(separator: "\n").filter { $0.contains(" ") && !$0.hasPrefix(".") && !$0.hasPrefix(#"\&"#) }.allSatisfy { $0.count <= 80 })
  }

  @Test("the manual page has no errors for mandoc", .enabled(if: Tool.exists("mandoc"), "mandoc is not installed"))
  func mandoc() throws {
    try expect(
      Binary.shell("\"$A\" __man >page.1 && mandoc -Tlint page.1", environment: Self.epoch, in: Folder.fresh()), 0,
      output: "", errors: "")
  }

  @Test(
    "the manual page has no errors for man, at any width", .enabled(if: Tool.exists("man") && Tool.exists("groff"), "man is not installed"),
    arguments: [60, 80, 200])
  func man(width: Int) throws {
    try expect(
      Binary.shell(
        "\"$A\" __man >page.1 && man --warnings -l page.1", environment: Self.epoch + ["MANWIDTH": "\(width)", "LC_ALL": "C"],
        in: Folder.fresh()), 0,
      output: .has("heroes search TEXT"), errors: "")
  }

  @Test(
    "the manual page names itself in one line, for the index of manual pages", .enabled(if: Tool.exists("lexgrog"), "man is not installed"))
  func name() throws {
    let outcome = try Binary.shell("\"$A\" __man >page.1 && lexgrog page.1", environment: Self.epoch, in: Folder.fresh())
    #expect(outcome.code == 0)
    #expect(outcome.output.contains("aggregator - records from unreliable services"))
  }
}
