import AggregatorCore
import Drafting
import Manifests
import SourceVerification

/// A new source as it will be written.
struct SourcePlan: Sendable {
  let name: SourceName
  let service: ServicePlan
  let record: RecordPlan
  /// What the tests replay: the list from its beginning.
  let walk: FixturePlan
  /// What the tests replay of a search.
  let search: FixturePlan?
  /// Texts that nothing written may hold.
  let secrets: [Secret]
  /// What was taken for the parameter that carries a person's text.
  let searchGuess: Guess<Parameter>?
  /// How many recorded requests had nothing to do with it.
  let strangers: Int
  let isInvented: Bool

  init(_ name: SourceName, from fixture: Fixture, isInvented: Bool = false) throws {
    let model = try ServiceModel(of: fixture)
    let finder = SecretFinder(sparing: ([model.list] + model.searches).compactMap(\.paging.value.parameter?.name))
    let search = Self.search(in: model)
    let groups = Self.groups(model.list.pages, by: search?.search?.value)
    let walk = RecordedWalk(paging: model.list.paging.value, secrets: finder)
    let pages = groups.first.map { walk.pages(among: $0.elements) } ?? []
    guard let first = groups.first, let start = pages.first else {
      throw SourceError(.malformed, "cannot read any recorded response of \(model.list.endpoint)")
    }
    let service = ServicePlan(name, model.list, search: search, start: start, finder: finder)
    let record = try RecordPlan(name.record, model.list)
    secrets = finder.secrets(in: fixture.exchanges)
    let scrubber = Scrubber(recording: secrets)
    self.name = name
    self.service = service
    self.record = record
    self.isInvented = isInvented
    self.walk = FixturePlan(pages, of: first.key, service, record, scrubber)
    let endpoints = [model.list.endpoint, search?.endpoint].compactMap { $0 }
    strangers = fixture.exchanges.count { !endpoints.contains(Call($0.request).endpoint) }
    searchGuess = (search ?? model.list).search
    let found = search.flatMap { list in
      first.key == nil ? Self.groups(list.pages, by: list.search?.value).first { $0.key != nil } : nil
    }
    self.search = found.map { FixturePlan(walk.pages(among: $0.elements), of: $0.key, service, record, scrubber) }
  }

  /// The list that takes a text, when its rows say that they answer it and it is asked in the same way.
  private static func search(in model: ServiceModel) -> ListModel? {
    let lists = [model.list] + model.searches.filter { $0.endpoint != model.list.endpoint }
    return lists.first { list in
      list.search?.confidence == .strong && list.endpoint.method == model.list.endpoint.method
        && list.endpoint.operation == model.list.endpoint.operation
        && list.items.value == model.list.items.value
        && (list.endpoint == model.list.endpoint
          || list.paging.value == model.list.paging.value && list.key?.value == model.list.key?.value)
    }
  }

  /// The pages by the text that they answer, those without one first.
  private static func groups(_ pages: [RecordedPage], by parameter: Parameter?) -> [(key: String?, elements: [RecordedPage])] {
    let groups = pages.inGroups { page in parameter.flatMap { page.call[$0] }.flatMap { $0.isEmpty ? nil : $0 } }
    return (groups.filter { $0.key == nil } + groups.filter { $0.key != nil }).filter {
      $0.elements.contains { !$0.rows.isEmpty }
    }
  }
}
