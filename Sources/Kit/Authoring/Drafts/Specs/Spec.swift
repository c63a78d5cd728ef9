package import AggregatorCore
import Bodies
package import Platform
import Programs
package import Recordings
package import Services

/// The input from which a person makes a source.
package enum Spec: Sendable {
  /// A file that already describes the source.
  case manifest(ManifestContents)
  /// A document in OpenAPI or Swagger, which has lists of a service.
  case description(OpenAPIDocument)
  /// A recording by a browser or a proxy.
  case recording(Fixture)
  /// An address, or a curl command line.
  case request(NamedRequest)
  /// The command line of a program.
  case program([String])

  /// Reads `text`: an address, a curl command line, or the path of a file relative to `folder`. The contents of the file decide its kind.
  package init(_ text: String, in folder: String = "", reading files: some FileReading = SystemFiles()) throws(SourceError) {
    if let request = try Self.request(text) {
      self = .request(request)
      return
    }
    if let command = try Self.command(text, in: folder) {
      self = .program(command)
      return
    }
    let name = Printable.clean(String(Self.withoutKeys(text).prefix(200)))
    let bytes: [UInt8]
    do {
      bytes = try files.read(Paths.join(folder, text), upTo: Fixture.mostBytes).bytes
    } catch {
      let isAddress = error == .missing && Self.looksLikeAddress(text)
      // Services on this machine rarely have a certificate.
      let scheme = WebAddress("http://\(text)")?.isSafe ?? false ? "http" : "https"
      throw SourceError(
        .settings, "cannot read \(name): \(error.reason)",
        remedy: isAddress ? "type \(scheme)://\(name) if it is an address" : nil)
    }
    try self.init(contents: bytes, of: Paths.join(folder, text), called: name)
  }

  /// Reads the contents of the file at `path`. Contents from a pipe may also be an address or a curl command line.
  package init(contents bytes: [UInt8], of path: String, called name: String) throws(SourceError) {
    func wrong(_ what: String, _ remedy: Remedy? = nil) -> SourceError {
      SourceError(.malformed, "\(name) \(what)", remedy: remedy)
    }
    var json = try Self.json(bytes, name)
    if json?["log"]?["entries"] != nil {
      do { self = .recording(try Fixture(har: bytes, name: name)) } catch { throw error as? SourceError ?? wrong("\(error)") }
      return
    }
    guard bytes.count <= Self.mostBytes else { throw wrong("is larger than \(Self.mostBytes >> 20) MB") }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw wrong("is not a text in UTF-8") }
    if let request = try Self.request(text) {
      self = .request(request)
      return
    }
    if json == nil { json = try Self.description(inYAML: bytes, name) }
    guard let json else { throw Self.foreign(text, name) }
    if json["aggregator"] != nil {
      self = .manifest(try ManifestContents(bytes, at: path))
    } else if json["openapi"] != nil || json["swagger"] != nil {
      self = .description(try OpenAPIDocument(json, called: name))
    } else if json["info"]?["_postman_id"] != nil {
      throw wrong("is a collection of Postman", "copy one of its requests as cURL")
    } else {
      throw wrong(
        "is neither a manifest (\"aggregator\": 1) nor a description (\"openapi\": \"3.0.0\") nor a recording (.har)",
        SourceError.readRows(of: name))
    }
  }

  /// Returns the words of a program's command line, with the paths in it made absolute; nil if the text names no program.
  private static func command(_ text: String, in folder: String) throws(SourceError) -> [String]? {
    let isFile = [".json", ".har", ".yaml", ".yml"].contains { text.hasSuffix($0) } && !text.contains(" ")
    guard !isFile, let words = try? ShellWords.command(in: text), let name = words.first else { return nil }
    let isPath = name.utf8.contains(UInt8(ascii: "/"))
    let found = isPath ? Paths.join(folder, name) : ChildProcess.find(name, in: ProgramCall.searchedFolders) ?? ""
    guard ChildProcess.canRun(found) else {
      guard name.hasPrefix("tap-") || name.hasPrefix(SourceProgram.prefix) else { return nil }
      throw SourceError(.settings, "the program \(Printable.clean(name)) is not on the PATH", remedy: "install it first")
    }
    // The program starts in the folder of its manifest.
    let arguments = words.dropFirst().map { word in
      let path = Paths.join(folder, word)
      return !word.isEmpty && !word.utf8.contains(0) && access(path, F_OK) == 0 ? path : word
    }
    return [isPath ? found : name] + arguments
  }

  /// The largest manifest or description that is read.
  private static let mostBytes = 16 << 20

  /// Returns the document; nil if the text does not begin as JSON does.
  private static func json(_ bytes: [UInt8], _ name: String) throws(SourceError) -> JSON? {
    let first = bytes.first { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
    do {
      return try JSON(bytes)
    } catch {
      if let rows = SourceError(ofRows: bytes, called: name) { throw rows }
      throw SourceError(.malformed, Printable.clean("\(name) is not valid JSON: \(error)"))
    }
  }

  /// Returns the request in a text; nil if the text is something else, such as the path of a file.
  private static func request(_ text: String) throws(SourceError) -> NamedRequest? {
    var line = text.trimmingSpaces
    if line.hasPrefix("$ ") { line = String(line.dropFirst(2)) }
    if ["curl", "curl.exe"].contains(String(line.prefix { !$0.isWhitespace })), line.contains(where: \.isWhitespace) {
      return try NamedRequest(curl: line)
    }
    if ["fetch(", "Invoke-WebRequest", "$session"].contains(where: line.hasPrefix) {
      throw SourceError(.settings, "this is a line for another program than curl", remedy: "copy the request as cURL")
    }
    let scheme = line.utf8.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "/") }
    guard scheme.count < 10, line.utf8[scheme.endIndex...].starts(with: "://".utf8) else { return nil }
    guard !line.contains(where: \.isWhitespace) else {
      throw SourceError(.settings, "an address has no spaces and no line breaks in it")
    }
    return try NamedRequest(address: line)
  }

  /// Returns the text with its keys masked, including the user's name in an address: `KEY@api.example.com/boats?token=KEY`.
  private static func withoutKeys(_ text: String) -> String {
    let text = SecretName.hidden(inText: text, leaving: Secret.mask) { SecretName.isUsual($0, holding: $1) }
    guard let at = text.prefix(while: { !"/?".contains($0) }).lastIndex(of: "@") else { return text }
    return looksLikeAddress(String(text[at...].dropFirst())) ? Secret.mask + text[at...] : text
  }

  /// True for `api.example.com/boats`, but not for `boats.json`.
  private static func looksLikeAddress(_ text: String) -> Bool {
    let host = text.prefix { !"/?:".contains($0) }
    let isHost =
      host == "localhost" || host.dropFirst().contains(".") && !host.hasPrefix(".") && !host.contains(where: \.isWhitespace)
    let isFile = ["har", "json", "txt", "yaml", "yml"].contains { host.lowercased().hasSuffix(".\($0)") }
    return isHost && (!isFile || host.endIndex < text.endIndex)
  }

  /// Returns a description of a service in YAML as JSON; nil for any other text.
  private static func description(inYAML bytes: [UInt8], _ name: String) throws(SourceError) -> JSON? {
    guard bytes.isDescription else { return nil }
    var value: Value
    do { value = try YAMLDocument.value(of: bytes) } catch {
      throw copy(of: error) { $0.message = "\(name): \(error.message)" }
    }
    do { return try JSON(value.bytes) } catch { throw SourceError(.malformed, Printable.clean("\(name): \(error)")) }
  }

  /// Returns the error for a text that is not JSON.
  private static func foreign(_ text: String, _ name: String) -> SourceError {
    let start = text.trimmingSpaces.prefix(2000).lowercased()
    if ["---", "%yaml", "#"].contains(where: start.hasPrefix) {
      return SourceError(.malformed, "\(name) is YAML and no description of a service (\"openapi: 3.0.0\")")
    }
    if let rows = SourceError(ofRows: Array(text.utf8), called: name) { return rows }
    if start.hasPrefix("<") {
      if Array(text.utf8).isHTML { return SourceError(.malformed, "\(name) is HTML, and JSON is expected") }
      let file = String(name.split(separator: "/").last ?? "")
      return SourceError(
        .malformed, "\(name) is XML in a file, which says nothing of new rows",
        remedy:
          "type the address that it came from; or serve its folder ('python3 -m http.server') and add http://localhost:8000/\(file)"
      )
    }
    return SourceError(
      .malformed, start.isEmpty ? "\(name) is empty" : "\(name) is neither JSON nor an address nor a line for curl",
      remedy: "name an address, a .har file, a line for curl in quotes, or an OpenAPI document")
  }
}

extension SourceError {
  /// The error for bytes that are the rows of a file to import; nil if they are something else.
  init?(ofRows bytes: [UInt8], called name: String) {
    guard let kind = bytes.kindOfRows else { return nil }
    self.init(.malformed, "\(name) holds rows of \(kind.name)", remedy: Self.readRows(of: name))
  }

  /// Returns the remedy for a file of rows: a program that prints it is a source, and its rows can be stored in another one.
  fileprivate static func readRows(of name: String) -> Remedy {
    .ask(.init(ofProgram: "add", "cat \(Paths.quoted(name))"), "to read the file as a source")
      .or(.ask(.init(ofProgram: "import", "SOURCE", "FILE"), "to store its rows in a source that you have"))
  }
}
