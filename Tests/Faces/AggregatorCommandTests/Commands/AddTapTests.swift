import Testing

/// `add` of a Singer tap, and of other programs.
@Suite("add a program") struct AddTapTests {
  private let home: String

  init() throws { home = try Folder.fresh() }

  private func run(_ words: String...) async throws -> Binary.Outcome {
    let environment = ["HOME": home, "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""]
    return try await InProcess.run(Array(words), environment: environment, in: home)
  }

  private func program(_ name: String, _ lines: String) throws -> String {
    let path = "\(home)/\(name)"
    try Folder.write("#!/bin/sh\n\(lines)\n", to: path)
    _ = try Binary.shell("chmod 700 \"$F\"", environment: ["F": path])
    return path
  }

  @Test("the key of a stream that names none is named by --id; without it the error says so")
  func keyless() async throws {
    let tap = try program(
      "tap-odd",
      """
      if [ "$1" = --discover ]; then
        echo '{"streams": [{"stream": "boats", "tap_stream_id": "boats", "key_properties": [], "metadata": [], "schema": {"type": "object", \
      "properties": {"no": {"type": "integer"}, "name": {"type": "string"}}}}]}'
        exit
      fi
      echo '{"type": "SCHEMA", "stream": "boats", "schema": {}, "key_properties": []}'
      echo '{"type": "RECORD", "stream": "boats", "record": {"no": 1, "name": "Asta"}}'
      echo '{"type": "RECORD", "stream": "boats", "record": {"no": 2, "name": "Brig"}}'
      """)
    let refused = try await run("add", tap, "boats", "--yes")
    #expect(refused.code == 78 && refused.errors.contains("names no key") && refused.errors.contains("--id FIELD"), "\(refused.errors)")
    #expect(try await run("add", tap, "boats", "--yes", "--id", "number").code != 0)
    expect(try await run("add", tap, "boats", "--yes", "--id", "no"), 0, errors: .has("no (it was named)"))
    expect(try await run("boats", "list", "--fields", "no,name"), nil, output: "1\tAsta\n2\tBrig\n")
    #expect(try await run("boats", "show", "2").output.contains("Brig"))
  }

  @Test(
    "a program whose name says that it is a source may print rows alone",
    arguments: [#"printf 'no,name\n1,Asta\n2,Brig\n'"#, #"printf '[{"no": 1, "name": "Asta"}, {"no": 2, "name": "Brig"}]'"#])
  func plainSource(lines: String) async throws {
    expect(try await run("add", program("aggregator-source-boats", lines), "--yes"), 0, errors: .has("no walk is complete"))
    expect(try await run("boats", "list", "--fields", "no,name"), nil, output: "1\tAsta\n2\tBrig\n")
  }

  @Test("--id names the key of rows that a program prints, and hints that a program has no use for are refused")
  func plain() async throws {
    let path = try program("list-boats", #"printf 'no,site,name\n1,a,Asta\n1,b,Brig\n2,a,Cog\n'"#)
    for option in ["--rows", "--title", "--next"] {
      #expect(try await run("add", path, "boats", "--yes", option, option == "--next" ? "a=b" : "a").code == 64)
    }
    expect(try await run("add", path, "boats", "--yes", "--id", "no,site"), 0)
    #expect(try await run("boats", "list", "--count", "--all").output == "3\n")
  }
}
