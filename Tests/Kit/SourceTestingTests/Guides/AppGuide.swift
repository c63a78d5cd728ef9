import AggregatorApp
import CurlTransport
import Observation
import ScratchFolders
import SourceTesting
import Testing

#if canImport(SwiftUI)
  import SwiftUI
#endif

// The snippets of Docs/guides/build-an-app.md, compiled and run. `GuideTests` checks that this file contains each of them, word for word.

private typealias Port = ListedPort

private enum Example {
  @MainActor struct PortsApp {
    let ports: PortsModel

    init(in folder: String, over transport: any Transport, _ values: [String: String] = [:]) throws {
      let source = Source<Port>.ports
      let settings = AggregatorApp.Settings(declared: source.settings, flags: values)
      let world = World(settings: settings, transport: transport, keepingIn: SQLiteStore(at: "\(folder)/store.db"))
      ports = PortsModel(RecordFeed(try source.open(in: world)))
    }
  }

  @MainActor @Observable final class PortsModel {
    private(set) var state = FeedState<Port>()
    let feed: RecordFeed<Port>
    var typed: String {
      get { state.typed }
      set { feed.send(.typed(newValue)) }
    }

    init(_ feed: RecordFeed<Port>) { self.feed = feed }

    func run() async {
      feed.send(.appear)
      for await state in feed.states where state != self.state { self.state = state }
    }
  }

  #if canImport(SwiftUI)
    struct PortsView: View {
      @Bindable var model: PortsModel

      var body: some View {
        List {
          if let error = model.state.head.error { Text(error.description) }
          ForEach(model.state.items) { port in
            Text(port.name)
              .onAppear { if port.id == model.state.items.last?.id { model.feed.send(.nearEnd) } }
          }
          if case .failed(let error) = model.state.tail {
            Button("Try again: \(error.description)") { model.feed.send(.retry) }
          }
          if let reason = model.state.origin?.reason { Text("Not from the service itself: \(reason.description)") }
        }
        .searchable(text: $model.typed)
        .refreshable { await model.feed.settled(after: .refresh) }
        .task { await model.run() }
      }
    }

    struct PortsMain: App {
      private let app = try? PortsApp(
        in: URL.applicationSupportDirectory.path(percentEncoded: false), over: FoundationHTTP(userAgent: "Ports/1.0"))

      var body: some Scene {
        WindowGroup { if let app { PortsView(model: app.ports) } else { Text("The settings of this app make no sense.") } }
      }
    }
  #endif
}

@Suite @MainActor struct AppGuide {
  private let folder: ScratchFolder
  private let page = #"{"items":[{"id":"a","name":"Antwerp"},{"id":"b","name":"Bergen"}],"total":2}"#

  init() throws { folder = try ScratchFolder() }

  @Test("the list is what the service says, and is there without network afterwards")
  func offline() async throws {
    let online = StubTransport(playing: .json(#"{"items":[{"id":"a","name":"Antwerp"}],"total":1}"#))
    let first = try await app(over: online).ports.feed.settled(after: .appear)
    #expect(first.items.map(\.name) == ["Antwerp"] && first.origin == .live)

    let offline = StubTransport(playing: .failure(SourceError(.unreachable, "no network")))
    let second = try await app(over: offline).ports.feed.settled(after: .appear)
    #expect(second.items == first.items && second.origin?.kind == .cache)
  }

  private func app(over transport: any Transport) throws -> Example.PortsApp { try Example.PortsApp(in: folder.path, over: transport) }

  @Test("each transport brings the list")
  func transports() async throws {
    let page = page
    let server = try StandInServer { while $0.request() != nil { $0.answer(page) } }
    let place = ["PORTS_URL": "\(try server.address())"]
    let transport = FoundationHTTP(userAgent: "Ports/1.0")
    let other = LibCurl(userAgent: "Ports/1.0")
    for (number, transport) in ([transport, other] as [any Transport]).enumerated() {
      let app = try Example.PortsApp(in: folder["\(number)"], over: transport, place)
      async let running: Void = app.ports.run()
      let state = await app.ports.feed.settled(after: .appear)
      #expect(state.items.map(\.name) == ["Antwerp", "Bergen"] && state.origin == .live)
      await app.ports.feed.close()
      await running
    }
  }
}

@Suite struct WalkGuide {
  @Test("without a screen the records come with their type")
  func walk() async throws {
    let settings = AggregatorApp.Settings(declared: Source<Port>.ports.settings)
    let transport = StubTransport(playing: .json(#"{"items":[{"id":"a","name":"Antwerp"},{"id":"b","name":"Bergen"}],"total":2}"#))
    let store = StoreInMemory()
    func print(_ name: String) { names.append(name) }
    var names: [String] = []
    let ports = try Source<Port>.ports.open(in: World(settings: settings, transport: transport, keepingIn: store))
    for try await port in Walk(ports.answering) { print(port.name) }
    #expect(names == ["Antwerp", "Bergen"])
  }
}
