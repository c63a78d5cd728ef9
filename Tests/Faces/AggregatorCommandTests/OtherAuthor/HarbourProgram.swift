import AggregatorCommand
import AggregatorCore
import AuthorsFace

@main struct HarbourProgram {
  static func main() async { await AggregatorCommand.run(sources: [.ports], faces: [.authors], name: "harbour") }
}

extension SourceDescriptor {
  static let ports = Source("ports", "Ports of the world", settings: [.portsURL], searches: "name") {
    Ports(service: try $0.client(.portsURL))
  }.descriptor
}

extension Setting {
  static let portsURL = Setting("PORTS_URL", .address, "where the ports are")
}

struct Ports: DataSource {
  let profile = Profile("ports", paging: .offset(size: 2, end: .total))
  let service: Client

  func page(_ request: PageRequest) async throws -> Page<Port> {
    let place = try request.place(in: self)
    let body = try await service.json("ports", ["offset": "\(place.number)", "limit": "\(place.size)"])
    return try Page(of: self, rows: body.array("items"), total: body.intIfPresent("total"))
  }
}

struct Port: Record {
  var id = ""
  var name = ""

  static let fields: [Field<Port>] = [
    Field("id", \.id, .badge, width: .whole),
    Field("name", \.name, .title, searchable: true),
  ]
}
