import Testing

/// Key files: what is read, what is refused, what `config set` writes.
struct ConfigTests {
  @Test("the flag's file, the variable's, the working folder's and the person's own, in this order")
  func order() async throws {
    let folder = try Folder.fresh()
    for (name, value) in [
      ("flag", "1"), ("variable", "2"), ("Configuration/Debug", "3"), ("Configuration/Other", "4"), (".config/aggregator/aggregator", "5"),
    ] {
      _ = try Binary.shell("mkdir -p \"$(dirname \"$F\")\"", environment: ["F": "\(folder)/\(name)"])
      try Folder.write("COUNTRIES_URL = http:/$()/\(value).example/\n", to: "\(folder)/\(name).xcconfig")
    }
    func value(_ environment: [String: String] = [:], in place: String = folder, _ arguments: String...) async throws -> String {
      let outcome = try await InProcess.run(
        ["config", "--fields", "value"] + arguments,
        environment: environment.merging(["COUNTRIES_URL": "", "HOME": folder]) { $0.isEmpty ? $1 : $0 }, in: place)
      #expect(outcome.errors == "")
      // The countries' own setting is the first.
      return (outcome.lines.first ?? "") + "\n"
    }
    let variable = ["AGGREGATOR_CONFIG": "variable.xcconfig"]
    #expect(try await value(variable, in: folder, "--config", "flag.xcconfig") == "http://1.example/\n")
    #expect(try await value(variable) == "http://2.example/\n")
    #expect(try await value() == "http://3.example/\n")
    #expect(try await value(["AGGREGATOR_CONFIGURATION": "Other"]) == "http://4.example/\n")
    #expect(try await value(in: "/") == "http://5.example/\n")
    #expect(try await value(["COUNTRIES_URL": "http://6.example/"]) == "http://6.example/\n")
  }

  @Test("a key file that cannot be used is 78, names the file and says what to do")
  func unusable() async throws {
    let folder = try Folder.fresh()
    try Folder.write("#include \"loop.xcconfig\"\n", to: "\(folder)/loop.xcconfig")
    try Folder.write("COUNTRIES_URL = ftp:/$()/example.org/\n", to: "\(folder)/ftp.xcconfig")
    for (file, complaint) in [
      ("loop.xcconfig", "loop.xcconfig"), ("missing.xcconfig", "no such file"), (".", "irectory"),
      ("ftp.xcconfig", "COUNTRIES_URL"),
    ] {
      let outcome = try await expect(
        InProcess.run(["countries", "list", "--config", file], environment: ["COUNTRIES_URL": ""], in: folder), 78,
        errors: .begins("aggregator: "))
      #expect(outcome.errors.contains(complaint))
      #expect(outcome.errors.contains(folder))
      #expect(outcome.errors.split(separator: "\n").count == 1)
      #expect(outcome.output == "")
    }
  }

  @Test("a file that the person may not read is 78", .enabled(if: Tool.isAbleToBeNobody, "only the administrator can become nobody"))
  func forbidden() throws {
    let folder = try Folder.fresh()
    try Folder.write("COUNTRIES_URL = http:/$()/example.org/\n", to: "\(folder)/keys.xcconfig")
    let outcome = try Binary.shell(
      "chmod 755 . .. && chmod 600 keys.xcconfig && cp \"$A\" ./moved && exec setpriv --reuid=65534 --regid=65534 --clear-groups ./moved config --config keys.xcconfig",
      in: folder)
    #expect(outcome.code == 78)
    #expect(outcome.errors.contains("keys.xcconfig (from --config): Permission denied"))
  }

  @Test("config set writes a file for its owner alone, and says where")
  func set() async throws {
    let folder = try Folder.fresh()
    let home = ["HOME": folder, "COUNTRIES_URL": ""]
    let file = "\(folder)/.config/aggregator/aggregator.xcconfig"
    try await expect(
      InProcess.run("config set COUNTRIES_URL", input: "https://one.example/a\n", environment: home), 0, output: "",
      errors: "aggregator: saved COUNTRIES_URL in \(file)\n")
    #expect(try Binary.shell("stat -c %a \(file)").output == "600\n")
    #expect(
      try await InProcess.run("config --fields value,origin", environment: home).lines.first == "https://one.example/a\t\(file):1")
    // The value may also come without a line end.
    _ = try await InProcess.run("config set COUNTRIES_URL --quiet", input: "https://two.example/", environment: home)
    #expect(try Folder.read(file) == "COUNTRIES_URL = https:/$()/two.example/\n")
  }

  @Test("config set says when the environment wins")
  func shadowed() async throws {
    let folder = try Folder.fresh()
    let outcome = try await InProcess.run(
      "config set COUNTRIES_URL --config keys.xcconfig", input: "https://one.example/\n",
      environment: ["COUNTRIES_URL": "http://env.example/"], in: folder)
    #expect(outcome.errors.hasSuffix("aggregator: the environment variable COUNTRIES_URL overrides it; type unset COUNTRIES_URL\n"))
  }

  @Test(
    "config set refuses what could only fail later, and leaves the file as it was",
    arguments: [
      ("", Int32(64), "no value on standard input"), (" \n", 64, "no value on standard input"),
      ("one.example\n", 78, "does not start with http:// or https://"),
      ("https://a.example/\nhttps://b.example/\n", 78, "control character"),
    ])
  func refused(_ input: String, _ code: Int32, _ complaint: String) async throws {
    let folder = try Folder.fresh()
    try Folder.write("COUNTRIES_URL = https:/$()/old.example/\n", to: "\(folder)/keys.xcconfig")
    try await expect(
      InProcess.run(["config", "set", "COUNTRIES_URL", "--config", "keys.xcconfig"], input: input, in: folder), code,
      errors: .has(complaint))
    #expect(try Folder.read("\(folder)/keys.xcconfig") == "COUNTRIES_URL = https:/$()/old.example/\n")
  }

  @Test("config unset takes a value out of the file, and says what still holds")
  func unset() async throws {
    let folder = try Folder.fresh()
    let file = "\(folder)/keys.xcconfig"
    try Folder.write("// mine\nCOUNTRIES_URL = https:/$()/one.example/\nPRODUCTS_BASE_URL = https:/$()/p.example/\n", to: file)
    func unset(_ environment: [String: String] = [:]) async throws -> Binary.Outcome {
      try await InProcess.run(["config", "unset", "COUNTRIES_URL", "--config", file], environment: environment)
    }
    let shadowed = try await unset(["COUNTRIES_URL": "https://env.example/"])
    #expect(shadowed.code == 0)
    #expect(
      shadowed.errors == "aggregator: removed COUNTRIES_URL from \(file)\naggregator: COUNTRIES_URL still has a value (environment)\n")
    #expect(try Folder.read(file) == "// mine\nPRODUCTS_BASE_URL = https:/$()/p.example/\n")
    #expect(try await unset(["COUNTRIES_URL": ""]).errors == "aggregator: COUNTRIES_URL is not set in \(file)\n")
    #expect(try await InProcess.run("config unset COUNTRY_URL").errors.contains(#"did you mean "config unset COUNTRIES_URL"?"#))
  }

  @Test("a value given behind a sign is refused unseen", arguments: ["set", "unset"])
  func sign(verb: String) async throws {
    let outcome = try await expect(InProcess.run("config \(verb) COMIC_VINE_API_KEY=s3cret"), 64)
    #expect(!outcome.errors.contains("s3cret"))
    #expect(outcome.errors.contains(#"did you mean "config \#(verb) COMIC_VINE_API_KEY"?"#))
  }

  @Test("a value that is not UTF-8 is refused: it would be saved as another one")
  func bytes() throws {
    let folder = try Folder.fresh()
    let outcome = try Binary.shell("printf 'ab\\377cd' | \"$A\" config set COMIC_VINE_API_KEY --config k.xcconfig", in: folder)
    #expect(outcome.code == 78)
    #expect(outcome.errors.contains("not valid UTF-8"))
    #expect(try Binary.shell("ls", in: folder).output == "")
  }

  @Test("a value given as a word is refused unseen: it would stand in the list of processes")
  func word() async throws {
    let outcome = try await expect(InProcess.run("config set COUNTRIES_URL https://s3cret.example/"), 64)
    #expect(!outcome.errors.contains("s3cret"))
    #expect(outcome.errors.hasPrefix("aggregator: config set reads the value from standard input, so that no key"))
  }
}
