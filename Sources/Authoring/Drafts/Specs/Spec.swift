package import AggregatorCore
package import Platform
package import Recordings
package import Services

/// What a person names to make a source of.
package enum Spec: Sendable {
  /// A file that describes the source already.
  case manifest(ManifestContents)
  /// A document by OpenAPI or Swagger, which names lists of a service.
  case description(OpenAPIDocument)
  /// What a browser or a proxy recorded.
  case recording(Fixture)
  /// An address, or a line for curl.
  case request(NamedRequest)

  /// `text` is an address, a line for curl, or the path of a file seen from `folder`, whose contents say what it is.
  package init(_ text: String, in folder: String = "", reading files: some FileReading = SystemFiles()) throws(SourceError) {
    if let request = try Self.request(text) {
      self = .request(request)
      return
    }
    let name = Printable.clean(String(Self.withoutKeys(text).prefix(200)))
    let bytes: [UInt8]
    do {
      bytes = try files.read(Paths.join(folder, text), upTo: Fixture.mostBytes).bytes
    } catch {
      let isAddress = error == .missing && Self.looksLikeAddress(text)
      throw SourceError(
        .settings, "cannot read \(name): \(error.reason)", remedy: isAddress ? "type https://\(name) if it is an address" : nil)
    }
    try self.init(contents: bytes, of: Paths.join(folder, text), called: name)
  }

  /// What the contents of the file at `path` say that it is; of what comes through a pipe too, which may be an address or a line for curl.
  package init(contents bytes: [UInt8], of path: String, called name: String) throws(SourceError) {
    func wrong(_ what: String, _ remedy: Remedy? = nil) -> SourceError {
      SourceError(.malformed, "\(name) \(what)", remedy: remedy)
    }
    let json = try Self.json(bytes, name)
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
        "import a file that holds the records themselves")
    }
  }

  /// The largest manifest or description that is read.
  private static let mostBytes = 16 << 20

  /// The document; nil of what begins as no JSON does.
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

  /// The request that a text is by itself; nil of what names a file.
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

  /// A text with its keys masked, and a user's name in what looks like an address: `KEY@api.example.com/boats?token=KEY`.
  private static func withoutKeys(_ text: String) -> String {
    let text = SecretName.hidden(inText: text, leaving: Secret.mask) { SecretName.isUsual($0, holding: $1) }
    guard let at = text.prefix(while: { !"/?".contains($0) }).lastIndex(of: "@") else { return text }
    return looksLikeAddress(String(text[at...].dropFirst())) ? Secret.mask + text[at...] : text
  }

  /// `api.example.com/boats`, but not `boats.json`.
  private static func looksLikeAddress(_ text: String) -> Bool {
    let host = text.prefix { !"/?:".contains($0) }
    let isHost =
      host == "localhost" || host.dropFirst().contains(".") && !host.hasPrefix(".") && !host.contains(where: \.isWhitespace)
    let isFile = ["har", "json", "txt", "yaml", "yml"].contains { host.lowercased().hasSuffix(".\($0)") }
    return isHost && (!isFile || host.endIndex < text.endIndex)
  }

  /// Why a text cannot be used that is no JSON.
  private static func foreign(_ text: String, _ name: String) -> SourceError {
    let start = text.trimmingSpaces.prefix(2000).lowercased()
    if ["openapi:", "swagger:", "---", "%yaml", "#"].contains(where: start.hasPrefix) || start.contains("\nopenapi:") {
      return SourceError(
        .malformed, "\(name) is YAML, and JSON is expected",
        remedy: "convert it: yq -o json \(Paths.quoted(name)) > openapi.json")
    }
    if let rows = SourceError(ofRows: Array(text.utf8), called: name) { return rows }
    if start.hasPrefix("<") {
      let isHTML = ["<!doctype html", "<html"].contains(where: start.hasPrefix)
      return SourceError(.malformed, "\(name) is \(isHTML ? "HTML" : "XML"), and JSON is expected")
    }
    return SourceError(
      .malformed, start.isEmpty ? "\(name) is empty" : "\(name) is neither JSON nor an address nor a line for curl",
      remedy: "name an address, a .har file, a line for curl in quotes, or an OpenAPI document")
  }
}

extension SourceError {
  /// The error that these bytes are the rows of a file that can be imported; nil where they are not.
  init?(ofRows bytes: [UInt8], called name: String) {
    guard let format = bytes.rowFormat else { return nil }
    self.init(.malformed, "\(name) holds rows of \(format), and JSON is expected", remedy: .importInto("SOURCE"))
  }
}
