import CSpawn
import Platform
import SourceTesting
import Testing

/// The built command, run as a script runs it. A test that needs no process of its own uses ``InProcess``.
enum Binary {
  /// The path of the command: that of `AGGREGATOR_BINARY`, else the one built with these tests.
  static let path = getenv("AGGREGATOR_BINARY").map { String(cString: $0) } ?? "\(products)/aggregator"

  /// The folder of the products that were built with these tests.
  static let products: String = {
    guard let image = cspawn_image() else { return "." }
    defer { free(image) }
    var folder = String(cString: image)
    while let slash = folder.lastIndex(of: "/") {
      folder = String(folder[..<slash])
      if access("\(folder)/aggregator", X_OK) == 0, access("\(folder)/Package.swift", F_OK) != 0 { return folder }
    }
    return "."
  }()

  /// The result of a run.
  struct Outcome: Sendable {
    let code: Int32
    let output: String
    let errors: String

    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// A bare environment in which no service can be reached, with new folders for all data.
  static var environment: [String: String] {
    get throws {
      let folder = try Folder.fresh()
      return [
        "PATH": "/usr/bin:/bin", "no_proxy": "*", "COUNTRIES_URL": "http://127.0.0.1:1/",
        "PRODUCTS_BASE_URL": "http://127.0.0.1:1/", "RANDOM_USER_BASE_URL": "http://127.0.0.1:1/",
        "COMIC_VINE_BASE_URL": "http://127.0.0.1:1/", "XDG_DATA_HOME": "\(folder)/data", "XDG_STATE_HOME": "\(folder)/state",
      ]
    }
  }

  /// Runs the command with `arguments`.
  static func run(
    _ arguments: String..., input: String = "", environment: [String: String] = [:], in folder: String = "/"
  ) throws -> Outcome {
    try run([path] + arguments.words, input: input, environment: environment, in: folder)
  }

  /// Runs a line of shell, in which `$A` is the command.
  static func shell(
    _ line: String, input: String = "", environment: [String: String] = [:], in folder: String = "/"
  ) throws -> Outcome {
    try run(["/bin/sh", "-c", line], input: input, environment: environment + ["A": path], in: folder)
  }

  /// Runs a program in Python, in whose environment `A` is the command.
  static func python(_ program: String, input: String = "", environment: [String: String] = [:]) throws -> Outcome {
    try run([Tool.path("python3") ?? "", "-c", program], input: input, environment: environment + ["A": path], in: "/")
  }

  static func run(_ command: [String], input: String, environment: [String: String], in folder: String) throws -> Outcome {
    let streams = try (0..<3).map { _ in try Scratch() }
    try streams[0].write(input)
    let process = try Spawned(
      command, environment: try self.environment + environment, in: folder, descriptors: streams.map(\.descriptor))
    let code = process.wait()
    return try Outcome(code: code, output: streams[1].text(), errors: streams[2].text())
  }

  /// Starts the command and returns at once. Output without a descriptor is lost.
  static func start(
    _ arguments: String..., environment: [String: String], in folder: String = "/", output: Int32? = nil, errors: Int32? = nil
  ) throws -> Spawned { try start(arguments.words, environment: environment, in: folder, output: output, errors: errors) }

  static func start(
    _ arguments: [String], environment: [String: String], in folder: String = "/", input: Int32? = nil, output: Int32? = nil,
    errors: Int32? = nil
  ) throws -> Spawned {
    let nothing = try Scratch()
    return try Spawned(
      [path] + arguments, environment: self.environment + environment, in: folder,
      descriptors: [input ?? nothing.descriptor, output ?? nothing.descriptor, errors ?? nothing.descriptor])
  }

  /// The environment in which `server` is the service.
  static func asking(_ server: StandInServer) throws -> [String: String] { ["COUNTRIES_URL": "\(try server.address())"] }
}

/// The expected output: exactly this text, a text with these parts, a text without them, or one that begins or ends so.
enum Printed: ExpressibleByStringInterpolation {
  case exactly(String)
  case parts([String])
  case lacks([String])
  case begins(String)
  case ends(String)

  static func has(_ parts: String...) -> Printed { .parts(parts) }

  static func lacks(_ parts: String...) -> Printed { .lacks(parts) }

  init(stringLiteral text: String) { self = .exactly(text) }

  fileprivate func check(_ text: String, _ location: SourceLocation) {
    switch self {
    case .exactly(let expected): #expect(text == expected, sourceLocation: location)
    case .parts(let parts): for part in parts { #expect(text.contains(part), sourceLocation: location) }
    case .lacks(let parts): for part in parts { #expect(!text.contains(part), sourceLocation: location) }
    case .begins(let beginning): #expect(text.hasPrefix(beginning), sourceLocation: location)
    case .ends(let end): #expect(text.hasSuffix(end), sourceLocation: location)
    }
  }
}

/// Expects the exit code and the output of a run, as far as they are given.
@discardableResult
func expect(
  _ outcome: Binary.Outcome, _ code: Int32? = nil, output: Printed? = nil, errors: Printed? = nil,
  at location: SourceLocation = #_sourceLocation
) -> Binary.Outcome {
  if let code { #expect(outcome.code == code, "\(outcome.errors)", sourceLocation: location) }
  output?.check(outcome.output, location)
  errors?.check(outcome.errors, location)
  return outcome
}

extension [String] {
  /// The words of a command line; a single text is split at its blanks.
  var words: [String] { count == 1 && self[0].contains(" ") ? self[0].split(separator: " ").map(String.init) : self }
}

/// Joins the variables of two environments. Those of the second replace those of the first.
func + (first: [String: String], second: [String: String]) -> [String: String] { first.merging(second) { $1 } }

/// A file that is closed when its last user releases it; a file without a name is then deleted.
final class Scratch {
  let descriptor: Int32

  init() throws {
    var template = Array("/tmp/aggregator.XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw Spawned.Failed(reason: "no temporary file: \(String(cString: strerror(errno)))") }
    unlink(template)
  }

  /// Opens the file at `path` for reading.
  init(reading path: String) throws {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Spawned.Failed(reason: "\(path): \(String(cString: strerror(errno)))") }
  }

  deinit { close(descriptor) }

  func write(_ text: String) throws {
    let bytes = Array(text.utf8)
    guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else { throw Spawned.Failed(reason: "the input does not fit") }
  }

  /// Everything in the file. Throws if it is not UTF-8, because the command prints nothing else.
  func text() throws -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = pread(descriptor, &chunk, chunk.count, off_t(bytes.count))
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw Spawned.Failed(reason: "the output is no UTF-8") }
    return text
  }
}
