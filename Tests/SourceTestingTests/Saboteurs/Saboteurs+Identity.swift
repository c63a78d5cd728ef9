import AggregatorCore
import Ports
import SourceTesting

extension Saboteurs {
  /// A record that is not found by its ID, because `identity` changes it.
  private struct Misnamed: Record {
    let port: Port

    var id: String { port.id }

    static let fields = [
      Field<Misnamed>("id") { $0.id }, Field<Misnamed>("name", .title, searchable: true) { $0.port.name },
      Field<Misnamed>("berths") { $0.port.berths },
    ]
    static let schema = Schema<Misnamed>(fields, identity: { $0.uppercased() }) { try Misnamed($0) }

    init(_ row: JSON) throws { port = try Port(row) }
    init(_ port: Port) { self.port = port }
  }

  static var misnamed: Saboteur {
    Saboteur("calls its records by names that are not theirs", breaks: .law(.roundTrip), in: PortsFixtures.whole, telling: { Misnamed($0) })
  }
}
