import AggregatorCore
package import Recordings
package import Services

extension SourcePackage {
  /// Makes a package of the source with this name in a manifest. Its records have a type, the
  /// manifest is compiled in, and `fixture` tests both.
  ///
  /// - Parameter remarks: Markdown at the end of its README.
  /// - Throws: a `SourceError` if the source would send another request than the recorded one.
  package init(
    _ name: SourceName, ejecting contents: ManifestContents, over fixture: Fixture, core: String, remarks: String = ""
  ) async throws {
    let source = try contents.manifest.description(of: name.text)
    let bundle = "Sources/\(name.module)/Bundle"
    var files = [File("\(bundle)/\(name.text).json", contents.bytes)]
    if let bundled = source.bundled {
      files.append(File("\(bundle)/\(name.text).ndjson", try contents.manifest.contents(of: bundled)))
    }
    let code = try await EjectedSource(name, contents.manifest, source, fixture)
    files += [
      File("\(bundle)/\(name.text).c", code.bundle), File("\(bundle)/include/\(name.bundle).h", code.header),
      File("Sources/\(name.module)/\(name.record).swift", EjectedRecord(name, source).code),
      File("Sources/\(name.module)/Source+\(name.module).swift", code.declaration),
      File("Tests/\(name.module)Tests/\(name.module)Tests.swift", code.tests),
    ]
    self.init(
      name, core: core, bundling: source.bundled == nil ? ["json"] : ["json", "ndjson"], files, testedOver: fixture,
      readme: code.readme(core: core) + remarks)
  }

  /// Makes a package of the drafted source, tested over the recording of the draft.
  package init(_ name: SourceName, from draft: Draft, core: String) async throws {
    try await self.init(
      name, ejecting: draft.contents, over: draft.recording, core: core,
      remarks: "\n## Guesses\n\n```text\n\(draft.report)```\n")
  }
}

extension Draft {
  /// The guesses, one on each line, then the weak ones that a person should check.
  package var report: String {
    func line(_ finding: Finding, _ addition: String) -> String {
      "  \(finding.subject): \(SwiftText.clause(finding.guess)) (\(SwiftText.clause(addition)))\n"
    }
    let weak = findings.filter { $0.confidence == .weak }.map { line($0, $0.reason) }
    return findings.map { line($0, "\($0.confidence)") }.joined()
      + (weak.isEmpty ? "" : "\nweak guesses to check:\n\(weak.joined())")
  }
}

/// The files around the record type of a source that leaves its manifest.
private struct EjectedSource {
  let name: SourceName
  let manifest: Manifest
  let source: ManifestSource
  /// The plain settings and the address at the time of the recording, where they differ from the manifest.
  private let values: [String: String]
  /// The walks over the recording: of the list, then of the search.
  private let walks: [TapedWalk]
  /// The reason why the laws are not checked; nil if they are.
  private let exemption: String?

  init(_ name: SourceName, _ manifest: Manifest, _ source: ManifestSource, _ fixture: Fixture) async throws {
    (self.name, self.manifest, self.source) = (name, manifest, source)
    var values = manifest.values(of: source, in: fixture)
    if let address = manifest.address { values[address.name] = source.base(in: fixture) }
    self.values = values.filter { name, value in manifest.settings.first { $0.name == name }?.defaultValue != value }
    let (model, exemption) = try Self.model(of: fixture, as: source)
    self.exemption = exemption
    walks = try await TapedWalk.all(over: fixture, of: manifest, source, model, self.values)
  }

  /// Returns the service as the kit models it, or the reason why it cannot.
  private static func model(of fixture: Fixture, as source: ManifestSource) throws -> (ServiceModel?, exemption: String?) {
    do {
      return (try ServiceModel(of: fixture, as: source), nil)
    } catch {
      guard error.kind == .settings else { throw error }
      return (nil, error.message)
    }
  }

  // MARK: - The bundle

  private var file: String { "\(name.module)File" }
  private var function: String { name.member }

  var bundle: String {
    func embedded(_ word: String, _ ending: String) -> String {
      """

      static const unsigned char \(word)[] = {
      #embed "\(name.text).\(ending)"
      };

      \(file) \(function)_\(word)(void) {
        return (\(file)){ \(word), sizeof \(word) };
      }

      """
    }
    return "#include \"\(name.bundle).h\"\n" + embedded("description", "json")
      + (source.bundled == nil ? "" : embedded("records", "ndjson"))
  }

  var header: String {
    let records =
      source.bundled == nil ? "" : "\n/// The bundled records, one on each line.\n\(file) \(function)_records(void);\n"
    return """
      #pragma once
      #include <stddef.h>

      /// A file that is compiled in, so that the binary can be moved.
      typedef struct { const unsigned char *bytes; size_t count; } \(file);

      /// The description: the requests to the service, and how its answers are read.
      \(file) \(function)_description(void);
      \(records)
      """
  }

  // MARK: - The source

  var declaration: String {
    let described = "\(SwiftText.literal(name.text)), describedBy: try manifest, as: \(name.record).self"
    let bundled = """
      ,
            bundled: {
              let rows = bytes(of: \(function)_records()).split(separator: UInt8(ascii: "\\n"))
              return try RecordList(rows: rows.map { try JSON(Array($0)) }, of: \(name.record).schema)
            }
      """
    let arguments = source.bundled == nil ? described : "\n      \(described)\(bundled)"
    return """
      import AggregatorCore
      import Services
      import \(name.bundle)

      extension Source<\(name.record)> {
        /// \(SwiftText.clause(source.summary)).
        public static var \(name.member): Source {
          Source(\(arguments))
        }

        /// The description in `Bundle/\(name.text).json`, which is compiled in: the requests, and how the answers are read.
        public static var manifest: Manifest {
          get throws { try Manifest(bytes(of: \(function)_description()), file: "\(name.text).json") }
        }
      }

      extension SourceDescriptor {
        /// The source for the list of a command.
        public static let \(name.member) = Source<\(name.record)>.\(name.member).descriptor
      }

      private func bytes(of file: \(file)) -> [UInt8] { Array(UnsafeBufferPointer(start: file.bytes, count: file.count)) }

      """
  }

  // MARK: - The tests

  var tests: String {
    let told = values.sorted { $0.key < $1.key }.map { "\(SwiftText.literal($0.key)): \(SwiftText.literal($0.value))" }
    let settings =
      told.isEmpty
      ? ""
      : "\n  /// The settings at the time of the recording.\n  private let settings = [\(told.joined(separator: ", "))]\n"
    return """
      \(SwiftText.imports(["AggregatorCore", name.module, "SourceTesting", "SourceTestingTraits", "Testing"]))

      @Suite struct \(name.module)Tests {\(settings)
        @Test("the record and the description agree on every field")
        func agreement() throws {
          let manifest = try Source<\(name.qualified)>.manifest
          let disagreements = try manifest.disagreements(of: "\(name.text)", with: \(name.qualified).self)
          #expect(disagreements == [])
        }

      \(laws(telling: !told.isEmpty))
      \(walks.map(test).joined())  /// Walks over the recording of the running test, and returns the records and the verdict.
        private func walk(
          _ query: Query = .everything, pages: Int? = nil
        ) async throws -> (records: [\(name.qualified)], verdict: Verdict?) {
          let source = try Source<\(name.qualified)>.\(name.member).source(replaying: Fixture.current\(told.isEmpty ? "" : ", settings"))
          var walk = Walk(source, query, bounds: Bounds(pages: pages))
          var records: [\(name.qualified)] = []
          while let items = try await walk.nextPage() { records += items }
          return (records, walk.summary.verdict)
        }
      }

      """
  }

  private func laws(telling isTold: Bool) -> String {
    if let exemption { return "  // The laws are not checked: \(SwiftText.clause(exemption)).\n" }
    return """
        @Test("every law is kept under every hazard")
        func laws() async throws {
          let conformance = try Conformance(
            of: .\(name.member), describedBy: Source<\(name.qualified)>.manifest, fixture: .beside("\(name.text)")\(isTold ? ", settings: settings" : ""))
          let report = await conformance.report()
          #expect(report.isPassed, "\\(report)")
        }

      """
  }

  /// Returns a test of a walk: the number of records, the title of the first one, and whether that is all.
  private func test(_ walk: TapedWalk) -> String {
    let list = walk.isComplete ? "the recorded list is read to its end" : "the recorded pages are read"
    let sentence = walk.text == nil ? list : "the recorded search finds its records"
    let arguments = [
      walk.text.map { ".matching(\(SwiftText.literal($0)))" }, walk.isComplete ? nil : "pages: \(walk.pages)",
    ].compactMap(\.self).joined(separator: ", ")
    let first = walk.first.flatMap(called).map { "    #expect(records.first?.value[\($0)] == \($1))\n" } ?? ""
    return """
        @Test("\(sentence)", .fixture("\(name.text)", mayLeave: true))
        func \(walk.text == nil ? "list" : "search")() async throws {
          let (records, \(walk.isComplete ? "verdict" : "_")) = try await walk(\(arguments))
          #expect(records.count == \(walk.count))
      \(first)\(walk.isComplete ? "    #expect(verdict == .complete)\n" : "")  }


      """
  }

  /// Returns the field of the record's title and its value, both as Swift code; nil if the value is not a text or a whole number.
  private func called(_ record: LooseRecord) -> (field: String, value: String)? {
    let title = source.fields.first { $0.role == .title && $0.type == .text }
    let field = SwiftText.literal(title?.name ?? source.key)
    switch record.value[title?.name ?? source.key] {
    case .text(let text): return (field, SwiftText.literal(text))
    case .int(let number): return (field, "\(number)")
    default: return nil
    }
  }

  // MARK: - The README

  func readme(core: String) -> String {
    let settings = manifest.texts.filter { $0.defaultValue == nil } + manifest.keys.map(\.setting)
    return """
      \(name.readme(source.summary, core: core, setting: settings.map(\.name)))
      | file | contents |
      |---|---|
      | `Sources/\(name.module)/Bundle/\(name.text).json` | the description: the requests to the service, and how its answers are read |
      | `Sources/\(name.module)/\(name.record).swift` | the record: its fields, with the names of the description, and the role of each |
      | `Sources/\(name.module)/Source+\(name.module).swift` | the source, made of the description and the record |
      | `Sources/\(name.module)Command/Main.swift` | a command with this source |
      | `Tests/\(name.module)Tests` | the tests: equal fields, every law under every hazard, and walks over the recording |

      If a description cannot express a page, write your own `page(_:)`. `Docs/guides/a-source-in-a-file.md` in the checkout shows one.

      """
  }
}
