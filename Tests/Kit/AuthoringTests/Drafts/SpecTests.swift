import AggregatorCore
import Recordings
import ScratchFolders
import Services
import Testing

@testable import Authoring

/// The kind of a spec is recognized by its text, and that of a file by its contents.
@Suite struct SpecTests {
  private static let key = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func kind(_ text: String) throws -> String {
    switch try Spec(text, in: folder.path) {
    case .manifest(let contents): "manifest \(contents.manifest.file.dropFirst(folder.path.count + 1))"
    case .description: "description"
    case .recording(let fixture): "recording of \(fixture.exchanges.count)"
    case .request(let request): "\(request.method.rawValue) \(request.address)"
    case .program(let words): "program \(words.joined(separator: " "))"
    }
  }

  @Test(
    "an address or a line for curl is recognized as such",
    arguments: [
      ("https://api.example.com/boats", "GET https://api.example.com/boats"), (" HTTPS://api.example.com ", "GET https://api.example.com/"),
      ("http://localhost:8080/boats?x=1", "GET http://localhost:8080/boats?x=1"),
      ("curl https://api.example.com/boats -d '{}'", "POST https://api.example.com/boats"),
      ("$ curl\thttps://api.example.com/boats", "GET https://api.example.com/boats"),
    ])
  func typed(text: String, is kind: String) throws { #expect(try self.kind(text) == kind) }

  @Test("a key in an address is separated")
  func keys() throws {
    guard case .request(let request) = try Spec("https://ada:\(Self.key)@api.example.com/boats?token=\(Self.key)&limit=2") else {
      Issue.record("this is a request")
      return
    }
    #expect(request.address.query == "limit=2")
    #expect(request.keys == [NamedKey(.query("token"), Secret(Self.key)), NamedKey(.basic(user: "ada"), Secret(Self.key))])
    #expect(!"\(request)".contains(Self.key))
  }

  @Test(
    "braces that would be filled in are refused before anything is asked",
    arguments: [
      "https://api.example.com/boats?filter={size}", "https://api.example.com/boats?filter=%7Bsize%7D&x=1",
      "https://api.example.com/fleets/{size}/boats", "curl https://api.example.com/boats -H 'X-Fleet: {size}'",
      #"curl https://api.example.com/boats --json '{"first": "{size}"}'"#,
    ])
  func braces(text: String) {
    #expect {
      try Spec(text)
    } throws: { error in
      (error as? SourceError)?.message == "the request has {size}, and a source fills in each name in braces"
    }
  }

  @Test("braces of a query language are plain text")
  func otherBraces() throws {
    _ = try kind(#"https://api.example.com/boats?filter={"size":3}&fields={id,name}"#)
    _ = try kind(#"curl https://api.example.com/q --json '{"query": "{boats{id name}}"}'"#)
  }

  @Test(
    "no key is in the error for a spec that cannot be read", arguments: ["api.example.com/boats?api_key=KEY&x=1", "boats.har?token=KEY"])
  func keyOfNoFile(text: String) {
    #expect {
      try Spec(text.replacingEach("KEY", with: Self.key), in: folder.path)
    } throws: { error in
      !"\(error)".contains(Self.key) && "\(error)".contains("cannot read \(text.prefix { $0 != "?" })")
    }
  }

  @Test(
    "the kind of a file follows from its contents, and not from its name",
    arguments: [
      (
        #"{"aggregator": 1, "address": {"setting": "X_URL", "default": "https://x.example/"}, "sources": {"boats": {"summary": "Boats", "list": {"path": "boats"}, "rows": "", "key": "id", "paging": {"by": "whole"}, "fields": [{"name": "id", "role": "title"}]}}}"#,
        "manifest odd.txt"
      ),
      ("\u{FEFF} {\"openapi\": \"3.1.0\", \"paths\": {}}", "description"), (#"{"swagger": "2.0", "paths": {}}"#, "description"),
      (#"{"log": {"version": "1.2", "entries": []}}"#, "recording of 0"),
      ("curl 'https://api.example.com/boats' \\\n  -H 'accept: */*'\n", "GET https://api.example.com/boats"),
      ("https://api.example.com/boats\n", "GET https://api.example.com/boats"),
    ])
  func files(contents: String, are kind: String) throws {
    try folder.write("odd.txt", contents)
    #expect(try self.kind("odd.txt") == kind)
    #expect(try self.kind(folder["odd.txt"]) == kind)
  }

  @Test(
    "a file of any other kind is refused by the name of its kind",
    arguments: [
      ("# boats\n---\nname: Ada", "odd.json is YAML and no description of a service (\"openapi: 3.0.0\")"),
      ("openapi: 3.0.0\npaths: [", "odd.json: the YAML is broken on line 3: did not find expected node content"),
      ("swagger: 1.2", "odd.json is not of OpenAPI 3 or Swagger 2"),
      ("<!DOCTYPE html><p>", "odd.json is HTML, and JSON is expected"),
      (
        "\n<rss version=\"2.0\">",
        "odd.json is XML in a file, which says nothing of new rows; type the address that it came from; or serve its folder ('python3 -m http.server') and add http://localhost:8000/odd.json"
      ),
      (#"{"openapi": "4.0"}"#, "odd.json is not of OpenAPI 3 or Swagger 2"),
      (#"{"swagger": 2}"#, "odd.json is not of OpenAPI 3 or Swagger 2"),
      (
        "id,\"full name, or none\"\n1,Ada\n",
        "odd.json holds rows of csv; use add cat odd.json to read the file as a source, or use import SOURCE FILE to store its rows in a source that you have"
      ),
      (
        "id\tname\n1\tAda\n",
        "odd.json holds rows of tsv; use add cat odd.json to read the file as a source, or use import SOURCE FILE to store its rows in a source that you have"
      ),
      ("{\"id\": 1,\n\"name\": 2,\n", "odd.json is not valid JSON: the JSON is cut short: expected a name at byte 21, line 3:1"),
      (
        "{\"id\": 1}\n{\"id\": 2}\n",
        "odd.json holds rows of ndjson; use add cat odd.json to read the file as a source, or use import SOURCE FILE to store its rows in a source that you have"
      ),
      (#"{"info": {"_postman_id": "1"}}"#, "odd.json is a collection of Postman; copy one of its requests as cURL"),
      (
        "[1]",
        #"odd.json is neither a manifest ("aggregator": 1) nor a description ("openapi": "3.0.0") nor a recording (.har); "#
          + "use add cat odd.json to read the file as a source, or use import SOURCE FILE to store its rows in a source that you have"
      ),
      ("", "odd.json is empty; name an address, a .har file, a line for curl in quotes, or an OpenAPI document"),
      (
        "boats",
        "odd.json is neither JSON nor an address nor a line for curl; name an address, a .har file, a line for curl in quotes, or an OpenAPI document"
      ),
      ("curl --form a=b https://x.example/", "the option --form of curl is not supported; leave it out of the line"),
      ("fetch(\"https://x.example/\", {})", "this is a line for another program than curl; copy the request as cURL"),
      ("https://x.example/\nhttps://y.example/", "an address has no spaces and no line breaks in it"),
    ])
  func others(contents: String, message: String) throws {
    try folder.write("odd.json", contents)
    #expect { try kind("odd.json") } throws: { ($0 as? SourceError)?.description == message }
  }

  @Test("broken JSON is an error with its file and place; bytes that are not text are refused")
  func broken() throws {
    try folder.write("odd.json", "{\"openapi\": \"3.0.0\",\n \"paths\" {}}")
    #expect { try kind("odd.json") } throws: {
      "\($0)".hasPrefix("odd.json is not valid JSON: ") && "\($0)".contains("line 2")
    }
    try folder.write("odd.json", [0x50, 0x4B, 0x03, 0x04, 0xFF, 0xFE])
    #expect { try kind("odd.json") } throws: { "\($0)" == "odd.json is not a text in UTF-8" }
    try folder.write("odd.json", #"{"log": {"entries": [{"request": {}}]}}"#)
    #expect { try kind("odd.json") } throws: { "\($0)".hasPrefix("odd.json: log.entries[0]") }
  }

  @Test("a missing file may have been meant as an address")
  func missing() throws {
    func error(_ text: String) -> String {
      do { return try kind(text) } catch { return "\(error)" }
    }
    let reason = "no such file"
    for text in [
      "api.example.com/boats", "api.example.com", "localhost:8080", "localhost/boats", "example.com:8080",
      "api.example.com:8443/boats.json?x=1",
    ] {
      // A service on this machine rarely has a certificate.
      let scheme = text.hasPrefix("localhost") ? "http" : "https"
      #expect(error(text) == "cannot read \(text): \(reason); type \(scheme)://\(text) if it is an address")
    }
    for text in ["boats.json", "./boats", "boats", "../x.example/boats", "a b.c/d"] {
      #expect(error(text) == "cannot read \(text): \(reason)")
    }
    #expect(error("\(Self.key)@api.example.com/boats").contains(Self.key) == false)
    #expect(error("a\u{0}b").hasPrefix("cannot read ab: "))
    #expect(error(".").hasPrefix("cannot read .: "))
    #expect(error("http://api.example.com/boats") == "an address on another machine begins with https://")
    #expect(error("ftp://api.example.com/boats") == "expected an address such as https://api.example.com/boats")
    #expect(error("https://api.example.com/ boats") == "an address has no spaces and no line breaks in it")
  }

  @Test("a large file is read if it is a recording, and otherwise refused")
  func large() throws {
    let padding = String(repeating: " ", count: 17 << 20)
    try folder.write("odd.json", "{\"log\": {\"entries\": []}}\(padding)")
    #expect(try kind("odd.json") == "recording of 0")
    try folder.write("odd.json", "{\"openapi\": \"3.0.0\"}\(padding)")
    #expect { try kind("odd.json") } throws: { "\($0)" == "odd.json is larger than 16 MB" }
  }
}
