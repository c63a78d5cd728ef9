import Testing

/// Key files that nobody may read.
struct ConfigTests {
  private let folder: String

  init() throws { folder = try Folder.fresh() }

  @Test("a file that the person may not read is 78", .enabled(if: Tool.isAbleToBeNobody, "only the administrator can become nobody"))
  func forbidden() throws {
    try Folder.write("COUNTRIES_URL = http:/$()/example.org/\n", to: "\(folder)/keys.xcconfig")
    let outcome = try Binary.shell(
      "chmod 755 . .. && chmod 600 keys.xcconfig && cp \"$A\" ./moved && exec setpriv --reuid=65534 --regid=65534 --clear-groups ./moved config --config keys.xcconfig",
      in: folder)
    #expect(outcome.code == 78)
    #expect(outcome.errors.contains("keys.xcconfig (from --config): Permission denied"))
  }
}
