import AggregatorCore
import SourceTesting

/// The source as a command takes it, and its settings.
struct DescriptorTemplate {
  let plan: Plan

  private var name: SourceName { plan.name }
  private var service: ServicePlan { plan.service }
  private var host: String { SwiftText.clause(service.address.host) }

  var code: String {
    """
    import AggregatorCore

    extension SourceDescriptor {
      /// The \(name.plural) of \(host)\(searches.map { _ in ", searched by \(searched)" } ?? "").
      public static let \(name.member) = SourceDescriptor(
        \(SwiftText.literal(name.text)), \(SwiftText.literal("\(capitalised(name.plural)) from \(host)")),
        settings: [\((["\(name.member)URL"] + service.keys.map(\.member)).map { ".\($0)" }.joined(separator: ", "))],\(searches.map { " \($0)," } ?? "")
        live: { \(live) })
    }

    extension Setting {
      public static let \(name.member)URL = Setting(
        \(SwiftText.literal("\(name.setting)_URL")), .address, \(SwiftText.literal("where the service of the \(name.plural) is")),
        default: \(Layout.sum(SwiftText.pieces(service.address.base), indent: 6)))
    \(service.keys.map(setting).joined())}
    \(service.keys.isEmpty && service.headers.isEmpty ? "" : assembly)
    """
  }

  private var searched: String { plan.record.searchable.first.map { SwiftText.clause($0.label) } ?? "" }

  private var searches: String? {
    plan.record.searchable.isEmpty ? nil : "searches: \(SwiftText.literal(searched))"
  }

  private func capitalised(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

  private func setting(_ key: KeyPlan) -> String {
    let what = service.keys.count == 1 ? "the key to \(host)" : "\(SwiftText.clause(key.carrier.name)), for \(host)"
    return Layout.call(
      "public static let \(key.member) = Setting", [SwiftText.literal(key.setting), ".secret", SwiftText.literal(what)], "\n", indent: 2)
  }

  private var live: String {
    service.keys.isEmpty && service.headers.isEmpty
      ? "\(name.service)(client: try $0.client(.\(name.member)URL))" : "try \(name.service)(in: $0)"
  }

  // MARK: - With keys

  private var assembly: String {
    let keys = service.keys.map { "    let \(local($0)) = world.settings.secret(.\($0.member))\n" }.joined()
    let arguments = [".\(name.member)URL", items(.query).map { "credentials: \($0)" }, items(.header).map { "headers: \($0)" }].compactMap {
      $0
    }
    let client = Layout.call("client = try world.client", arguments, "\n", indent: 4)
    let hasKey = service.keys.isEmpty ? "" : "    hasKey = \(service.keys.map { "\(local($0)) != nil" }.joined(separator: " && "))\n"
    return """

      extension \(name.service) {
        /// The service as `world` has it.
        fileprivate init(in world: Surroundings) throws {
      \(keys)\(client)\(hasKey)  }
      }

      """
  }

  private func local(_ key: KeyPlan) -> String {
    service.keys.count == 1 ? "key" : Identifiers.spelled(String(key.member))
  }

  /// What goes with every request, as an array.
  private func items(_ place: SecretFinder.Carrier.Place) -> String? {
    var constants =
      place == .header ? service.headers.map { "HTTPRequest.Item(\(SwiftText.literal($0.name)), \(SwiftText.literal($0.value)))" } : []
    let keys = service.keys.filter { $0.carrier.place == place }
    if keys.isEmpty { return constants.isEmpty ? nil : "[\(constants.joined(separator: ", "))]" }
    let optional = keys.map { key in
      let secret = key.carrier.scheme.map { "Secret(\(SwiftText.literal("\($0) ")) + $0.reveal())" } ?? "$0"
      return "\(local(key)).map { HTTPRequest.Item(\(SwiftText.literal(key.carrier.name)), .secret(\(secret))) }"
    }
    constants += optional
    return "[\(constants.joined(separator: ", "))].compactMap { $0 }"
  }
}
