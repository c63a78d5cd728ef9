import AggregatorCore
import SourceVerification

// The source as a command takes it, and its settings.
extension SourcePlan {
  private var host: String { SwiftText.clause(service.address.host) }

  var descriptorCode: String {
    """
    import AggregatorCore

    extension SourceDescriptor {
      /// The \(name.plural) of \(host)\(searches.map { _ in ", searched by \(searched)" } ?? "").
      public static let \(name.member) = Source(
        \(SwiftText.literal(name.text)), \(SwiftText.literal("\(capitalised(name.plural)) from \(host)")),
        settings: [\((["\(name.member)URL"] + service.keys.map(\.member)).map { ".\($0)" }.joined(separator: ", "))],\(searches.map { " \($0)," } ?? "")
        \(live)
      ).descriptor
    }

    extension Setting {
      public static let \(name.member)URL = Setting(
        \(SwiftText.literal("\(name.setting)_URL")), .address, \(SwiftText.literal("where the service of the \(name.plural) is")),
        default: \(Layout.sum(SwiftText.pieces(service.address.base), indent: 6)))
    \(service.keys.map(setting).joined())}

    """
  }

  private var searched: String { record.searchable.first.map { SwiftText.clause($0.label) } ?? "" }

  private var searches: String? {
    record.searchable.isEmpty ? nil : "searches: \(SwiftText.literal(searched))"
  }

  private func capitalised(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

  private func setting(_ key: KeyPlan) -> String {
    let what = service.keys.count == 1 ? "the key to \(host)" : "\(SwiftText.clause(key.carrier.name)), for \(host)"
    return Layout.call(
      "public static let \(key.member) = Setting", [SwiftText.literal(key.setting), ".secret", SwiftText.literal(what)], "\n", indent: 2)
  }

  private var live: String {
    let line = "      live: { \(name.service)(client: try $0.client(\(client.joined(separator: ", ")))) }"
    if line.count <= Layout.width { return String(line.dropFirst(6)) }
    return "live: { world in\n" + Layout.call("let client = try world.client", client, "\n", indent: 6)
      + "      return \(name.service)(client: client)\n    }"
  }

  private var client: [String] {
    [".\(name.member)URL", list("keys", service.keys.map(credential)), list("headers", service.headers.map(item))].compactMap { $0 }
  }

  private func list(_ label: String, _ items: [String]) -> String? {
    items.isEmpty ? nil : "\(label): " + Layout.list(items, indent: 8, room: label.count + 4)
  }

  private func credential(_ key: KeyPlan) -> String {
    let place = key.carrier.isHeader ? "header" : "query"
    let scheme = key.carrier.scheme.map { ", scheme: \(SwiftText.literal($0))" } ?? ""
    return ".\(place)(\(SwiftText.literal(key.carrier.name)), .\(key.member)\(scheme))"
  }

  private func item(_ header: HTTPResponse.Header) -> String {
    "HTTPRequest.Item(\(SwiftText.literal(header.name)), \(SwiftText.literal(header.value)))"
  }
}
