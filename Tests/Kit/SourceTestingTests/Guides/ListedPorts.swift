import AggregatorCore

/// A record of the list in the guides for apps.
struct ListedPort: Record {
  var id = ""
  var name = ""

  static let fields: [Field<ListedPort>] = [Field("id", \.id), Field("name", \.name, .title)]
}

struct ListedPortsService: DataSource {
  let profile = Profile("ports", paging: .offset(size: 2, end: .total, lookingBack: false))
  let client: Client

  func page(_ request: PageRequest) async throws -> Page<ListedPort> {
    let place = try request.place(in: self)
    let body = try await client.json("ports", ["offset": "\(place.number)", "limit": "\(place.size)"])
    return try Page(of: self, rows: body.array("items"), total: body.int("total"))
  }
}

extension Setting {
  static let portsURL = Setting("PORTS_URL", .address, "where the ports are", default: "https://ports.example/")
}

extension Source<ListedPort> {
  static var ports: Source {
    Source("ports", "Ports of the world", settings: [.portsURL], live: { ListedPortsService(client: try $0.client(.portsURL)) })
  }
}
