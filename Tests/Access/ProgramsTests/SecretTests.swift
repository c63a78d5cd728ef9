import AggregatorCore
import Platform
import Programs
import ScratchFolders
import SourceTesting
import Synchronization
import Testing

@testable import Services

/// A key reaches a program by its private file alone, and comes back from it nowhere.
struct SecretTests {
  private static let key = #"k3y-"of\mine/é-and-more"#
  /// The characters of the key that nothing else here has.
  private static let part = "k3y-"

  private func home(_ program: String) throws -> ProgramHome {
    let beginning = """
      #!python3
      import json, os, sys, stat
      path = sys.argv[sys.argv.index("--config") + 1]
      key = json.load(open(path))["token"]

      """
    var home = try ProgramHome(beginning + program, ProgramHome.key, keys: true)
    home.values = ["THINGS_KEY": Self.key]
    return home
  }

  @Test("the key is in a file that only this person can read, in such a folder, and in no argument and no variable")
  func file() async throws {
    setenv("THINGS_KEY", Self.key, 1)
    setenv("THINGS_COPY", "Bearer \(Self.key)", 1)
    defer { for name in ["THINGS_KEY", "THINGS_COPY"] { unsetenv(name) } }
    let home = try home(
      """
      modes = [oct(stat.S_IMODE(os.stat(one).st_mode)) for one in [path, os.path.dirname(path)]]
      told = [name for name in os.environ if name.startswith("THINGS")]
      said = [word for word in sys.argv if key in word]
      with open("seen", "w") as file: file.write(json.dumps([key, modes, told, said, sys.argv[1:2] + sys.argv[2:3]]))
      print(json.dumps({"end": {"verdict": "complete"}}))
      """)
    let outcome = try await home.walk()
    #expect(outcome.error == nil)
    let seen = try JSON(home.folder.bytes("seen")).value
    #expect(seen == [.text(Self.key), ["0o600", "0o700"], [], [], ["list", "--config"]])
  }

  @Test("a key that the program prints is covered: in rows, ids, cursors, logs, errors and in what is told of the run")
  func echoes() async throws {
    let home = try home(
      """
      for cut in range(470, 510): sys.stderr.write("y" * cut + key + "\\n")
      for cut in range(985, 1005): sys.stderr.write("y" * cut + key + "\\n")
      sys.stderr.flush()
      texts = [json.dumps(key), json.dumps(key, ensure_ascii=False), '"%s"' % "".join("\\\\u%04x" % ord(c) for c in key)]
      for number, text in enumerate(texts): print('{"item": {"id": "%d", "name": %s}}' % (number, text))
      print('{"item": {"id": %s, "name": "its id is the key"}}' % texts[0])
      print(json.dumps({"log": key}))
      print(json.dumps({"cursor": "after " + key}))
      print(json.dumps({"error": {"kind": "refused-key", "message": "x" * 290 + key}}))
      """)
    let events = Mutex<[Event]>([])
    let outcome = try await Event.listening({ event in events.withLock { $0.append(event) } }, during: { try await home.walk() })
    let told = events.withLock { $0.map { String(reflecting: $0) }.joined(separator: "\n") }
    #expect(outcome.records.map(\.id) == ["0", "1", "2"] && outcome.summary?.skipped == 1)
    #expect(outcome.records.allSatisfy { $0.value["name"] == .text(Scrubber.maskInAnswers) })
    #expect(outcome.summary?.misfits.fields["name"]?.records == 3)
    #expect(outcome.verdict?.kind == "partial")
    for text in [outcome.reason, String(reflecting: outcome.records), String(reflecting: outcome.summary), told] {
      #expect(!text.contains(Self.part), "\(text)")
    }
    #expect(told.contains("yyy") && told.contains("(private file)"))
  }

  @Test("a key at any place in the errors of a program that fails is not shown, not even in part")
  func lastError() async throws {
    for cut in [0, 280, 290, 295, 299, 300, 990, 65_530] {
      let outcome = try await home("sys.stderr.write('y' * \(cut) + key * 2 + 'z' * 65536)\nsys.exit(1)").walk()
      #expect(outcome.error?.kind == .programFailed && !outcome.reason.contains(Self.part), "\(cut) \(outcome.reason)")
    }
  }

  @Test("a key that is not set is asked for, and the program is not started; an optional one is left out")
  func missing() async throws {
    var home = try home("open('seen', 'w')")
    home.values = [:]
    let error = try await home.walk().error
    #expect(error?.kind == .missingKey && error?.remedy == .set(["THINGS_KEY"]))
    #expect(home.lines("seen").isEmpty && !home.folder.names().contains("seen"))
  }
}
