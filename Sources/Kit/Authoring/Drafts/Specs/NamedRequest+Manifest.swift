import AggregatorCore
import Recordings
package import Services

extension Manifest {
  /// Returns the source that already asks for the same list, at any page and any page size; nil if the manifest has none.
  package func source(asking request: NamedRequest) -> ManifestSource? {
    guard let base = address?.defaultValue.flatMap({ WebAddress($0) }) else { return nil }
    return sources.first { $0.parent == nil && $0.list.request.asks(request, below: base) }
  }
}

extension ManifestRequest {
  fileprivate func asks(_ request: NamedRequest, below base: WebAddress) -> Bool {
    let address = path.map { base.appending($0.text) } ?? base
    guard (method ?? .get) == request.method, address.origin == request.address.origin, address.path == request.address.path
    else { return false }
    // Items that lead from page to page are templates.
    let varying = Set(query.filter { !$0.value.names.isEmpty }.map(\.name))
    let fixed = query.filter { $0.value.names.isEmpty }.map { HTTPResponse.Header($0.name, $0.value.text) }
    let own = body?.scalars(depth: 4) ?? []
    let varyingInBody = Set(own.filter { !$0.value.templateNames.isEmpty }.map(\.path))
    func words(_ scalars: [(path: ValuePath, value: Value)]) -> [ValuePath: Value] {
      scalars.reduce(into: [:]) { if !varyingInBody.contains($1.path) { $0[$1.path] = $1.value } }
    }
    return Set(fixed) == Set(request.address.queryItems.filter { !varying.contains($0.name) })
      && words(own) == words(request.body?.scalars(depth: 4) ?? [])
  }
}
