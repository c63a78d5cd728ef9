import AggregatorCore
import Platform
import ScratchFolders
import Synchronization

@testable import Services

/// A scratch home with manifests in it.
struct ManifestHome {
  let folder: ScratchFolder
  let folders: ManifestFolders

  init() throws {
    folder = try ScratchFolder()
    folders = ManifestFolders(Folders(environment: ["HOME": folder.path]))
    try SystemFiles().makeFolder("\(folder.path)/.config/aggregator/sources")
  }

  func path(_ name: String) -> String { "\(folder.path)/.config/aggregator/sources/\(name)" }

  @discardableResult
  func write(_ name: String, _ text: String) throws -> ManifestContents {
    try folder.write(".config/aggregator/sources/\(name)", text)
    return try ManifestContents(Array(text.utf8), at: path(name))
  }

  func catalogue(_ builtIn: [SourceDescriptor] = [], reserved: Set<String> = []) throws -> Catalogue {
    try Catalogue(builtIn).adding(folders, reserved: reserved)
  }
}

/// A manifest with these sources; `more` are members beside them.
func manifest(_ names: String..., at address: String = "https://ports.example/", setting: String = "PORTS_URL", more: String = "") -> String
{
  let sources = names.map { name in
    #""\#(name)":{"summary":"The \#(name)","list":{"path":"\#(name)"},"rows":"","key":"id","paging":{"by":"whole"},"#
      + #""fields":[{"name":"id"},{"name":"title","role":"title","searchable":true}]}"#
  }
  return
    #"{"aggregator":1,"address":{"setting":"\#(setting)","default":"\#(address)"},\#(more)"sources":{\#(sources.joined(separator: ","))}}"#
}

let token = #""keys":[{"setting":"PORTS_TOKEN","header":"Authorization","scheme":"Bearer"}],"#

/// A network that answers with an empty list, and notes the hosts it was asked for.
final class EmptyListTransport: Transport {
  private let asked = Mutex<[String]>([])
  var requests: [String] { asked.withLock { $0 } }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    asked.withLock { $0.append("\(request.address.origin)") }
    return HTTPResponse(status: 200, body: Array("[]".utf8))
  }
}
