import AggregatorCore
import SourceTesting
import Synchronization
import TestServices
import Testing

@testable import Asking

/// Long verbs in the background.
@Suite("Jobs", .timeLimit(.minutes(30))) struct JobsTests {
  private let services = TestServices()
  private let store = StoreInMemory()
  private let clock = TestClock()
  private let jobs = Jobs()

  private func start(_ verb: String = "sync", of name: String = "ports", in jobs: Jobs? = nil) throws -> (job: Job, isNew: Bool) {
    let face = try services.face(store: store, clock: clock)
    return try (jobs ?? self.jobs).start(
      verb == "sync" ? .sync() : .audit(), of: #require(face.catalogue[name]), Ask(of: name), in: face.world)
  }

  private func end(of job: Job, in jobs: Jobs? = nil) async -> Job {
    var last = job
    for await job in (jobs ?? self.jobs).changes(of: job.id) { last = job }
    return last
  }

  private func written(_ job: Job) -> String {
    var writer = JSONWriter()
    writer.write(job.value)
    return String(decoding: writer.take(), as: UTF8.self)
  }

  @Test("a sync runs in the background, tells its progress, and ends with its outcome")
  func outcome() async throws {
    let (gate, _) = services.hold("ports", after: 1)
    let (job, isNew) = try start()
    #expect(isNew && job.id == 1 && job.source == "ports" && job.verb.name == "sync")
    var states: [Job.State] = []
    for await job in jobs.changes(of: job.id) {
      if states.last != job.state { states.append(job.state) }
      if job.progress.rows == 3 { gate.open() }
    }
    #expect(states.suffix(2) == [.running, .ended])
    let ended = try #require(jobs.job(job.id))
    #expect(ended.isOver && ended.progress.rows == 10 && ended.progress.total == 10)
    #expect(ended.outcome?["received"] == .int(10) && ended.outcome?["new"] == .int(10) && ended.error == nil)
    #expect(
      written(ended).hasPrefix(
        #"{"id":1,"source":"ports","verb":"sync","state":"ended","began":"2023-11-14T22:13:20.000Z","ended":"2023-11-14T22:13:20.000Z","#
          + #""progress":{"rows":10,"total":10,"requests":0,"wait":null,"reason":null},"outcome":{"source":"ports","received":10,"#))
    #expect(await end(of: try start("audit").job).outcome?["missing"] == .int(0))
  }

  @Test("a verb runs once for each source, however many start it at once")
  func onlyOnce() async throws {
    let (gate, _) = services.hold("ports")
    let started = try await withThrowingTaskGroup(of: (job: Job, isNew: Bool).self) { group in
      for _ in 0..<20 { group.addTask { try self.start() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(started.map(\.job.id)) == [1] && started.count { $0.isNew } == 1)
    #expect(try start("audit").isNew && start(of: "piers").isNew)
    gate.open()
    _ = await end(of: started[0].job)
    #expect(try start().isNew)
  }

  @Test("an error of the service, and one before the source is open, are told; settings of this machine are no failure of the list")
  func failures() async throws {
    services.break("ports")
    let job = await end(of: try start().job)
    #expect(job.state == .failed && job.error?.kind == .unavailable && job.outcome == nil && job.ended != nil)
    #expect(written(job).hasSuffix(#""error":{"kind":"unavailable","message":"the service failed","remedy":"try again later"}}"#))
    let face = try services.face(store: store, clock: clock)
    let closed = Source<Port>("closed", "", live: { _ throws -> Unopened in throw SourceError(.settings, "no key") }).descriptor
    for work in [Jobs.Work.audit(), .sync()] {
      let job = await end(of: try jobs.start(work, of: closed, Ask(of: "closed"), in: face.world).job)
      #expect(job.state == .failed && job.error?.message == "no key" && job.error?.source == "closed")
      let report = try await Catalogue([closed]).reports(on: [closed], in: face.world)[0]
      #expect(report.failing == nil && report.state == .failing)
    }
  }

  @Test("a job that is cancelled half-way keeps what came, and the next one continues there")
  func cancelled() async throws {
    let (gate, cancellations) = services.hold("ports", after: 1)
    let (job, _) = try start()
    for await job in jobs.changes(of: job.id) where job.progress.rows == 3 { break }
    try await gate.arrivals(atLeast: 1)
    #expect(jobs.cancel(job.id)?.id == job.id)
    let ended = await end(of: job)
    #expect(ended.state == .cancelled && ended.outcome?["received"] == .int(3) && ended.error == nil)
    #expect(ended.outcome?["verdict"]?["reason"] == .text("interrupted") && cancellations.count > 0)
    #expect(jobs.cancel(job.id)?.state == .cancelled)
    services.mend("ports")
    let next = await end(of: try start().job)
    #expect(next.id == 2 && next.progress.earlier == 3 && next.progress.rows == 10 && next.outcome?["received"] == .int(10))
  }

  @Test("a job that is cancelled before anything came has no outcome")
  func cancelledEarly() async throws {
    let (gate, _) = services.hold("ports")
    let (job, _) = try start()
    try await gate.arrivals(atLeast: 1)
    jobs.cancel(job.id)
    let ended = await end(of: job)
    #expect(ended.state == .cancelled && ended.outcome == nil && ended.error == nil)
  }

  @Test("as many jobs run at once as may; the others wait, and one that is cancelled meanwhile never runs")
  func waiting() async throws {
    let jobs = Jobs(atOnce: 1)
    let (gate, _) = services.hold("ports")
    let first = try start(in: jobs).job
    try await gate.arrivals(atLeast: 1)
    let (second, third) = (try start(of: "piers", in: jobs).job, try start("audit", of: "piers", in: jobs).job)
    #expect(jobs.all.map(\.id) == [3, 2, 1] && jobs.all.map(\.state) == [.waiting, .waiting, .running])
    #expect(second.began == nil && !second.isOver)
    #expect(jobs.cancel(second.id)?.state == .cancelled)
    #expect(try !start("audit", of: "piers", in: jobs).isNew && start(of: "piers", in: jobs).job.id == 4)
    gate.open()
    #expect(await end(of: first, in: jobs).state == .ended)
    #expect(await end(of: second, in: jobs).began == nil)
    #expect(await end(of: third, in: jobs).state == .failed)
  }

  @Test("at the end all jobs are cancelled and have stored what came, and none can be started")
  func ending() async throws {
    let jobs = Jobs(atOnce: 1)
    let (gate, _) = services.hold("ports", after: 1)
    let (job, waiting) = (try start(in: jobs).job, try start(of: "piers", in: jobs).job)
    for await job in jobs.changes(of: job.id) where job.progress.rows == 3 { break }
    try await gate.arrivals(atLeast: 1)
    await jobs.end()
    #expect(jobs.job(job.id)?.state == .cancelled && jobs.job(waiting.id)?.state == .cancelled)
    #expect(jobs.job(job.id)?.outcome?["received"] == .int(3) && jobs.job(waiting.id)?.began == nil)
    #expect(throws: CancellationError.self) { try start(in: jobs) }
    await jobs.end()
  }

  @Test("only the last jobs that ended are remembered")
  func forgetting() async throws {
    let jobs = Jobs(remembering: 2)
    for _ in 0..<4 { _ = await end(of: try start(of: "piers", in: jobs).job, in: jobs) }
    await jobs.end()
    #expect(jobs.all.map(\.id) == [4, 3] && jobs.job(1) == nil && jobs.cancel(1) == nil)
    for await _ in jobs.changes(of: 1) { Issue.record("a job that is forgotten has no changes") }
  }

  @Test("a job has neither the deadline nor the listeners of the request that started it, and outlives it")
  func detached() async throws {
    let heard = EventRecorder()
    let request = Task {
      try await heard.listen { try await Deadline.keep(until: TestClock.start, by: clock) { try start().job } }
    }
    let job = try await request.value
    request.cancel()
    #expect(await end(of: job).state == .ended)
    #expect(heard.events.isEmpty)
  }

  @Test("a reader who leaves changes nothing, and one who comes late gets the last snapshot")
  func readers() async throws {
    let (gate, _) = services.hold("ports")
    let (job, _) = try start()
    let reader = Task { await end(of: job) }
    try await gate.arrivals(atLeast: 1)
    reader.cancel()
    #expect(await reader.value.isOver == false)
    gate.open()
    #expect(await end(of: job).state == .ended)
    var late: [Job.State] = []
    for await job in jobs.changes(of: job.id) { late.append(job.state) }
    #expect(late == [.ended])
  }

  @Test("a sync from another service says so in its outcome")
  func otherService() async throws {
    let face = try services.face(store: store, clock: clock)
    let source = Source<Port>("closed", "", live: { _ in Unopened().fallback(to: Empty()) }).descriptor
    let ended = await end(of: try jobs.start(.sync(), of: source, Ask(of: "closed"), in: face.world).job)
    #expect(ended.outcome?["notices"] == .list([.text("from closed.mirror: it is closed")]))
  }

  @Test("a verb that cannot be a job of the source is refused")
  func refused() throws {
    let face = try services.endlessFace()
    let buoys = try #require(face.catalogue["buoys"])
    let error = #expect(throws: SourceError.self) { try jobs.start(.sync(), of: buoys, Ask(of: "buoys"), in: face.world) }
    #expect(error?.source == "buoys" && error?.message == "unknown job \"sync\"")
    #expect(jobs.all.isEmpty)
  }
}

/// A source that is never opened.
private struct Unopened: DataSource {
  let profile = Profile("closed", paging: .offset(size: 3, end: .total), search: .native)
  func page(_ request: PageRequest) async throws -> Page<Port> { throw SourceError(.unavailable, "it is closed") }
}

/// A mirror without records.
private struct Empty: DataSource {
  let profile = Profile("closed.mirror", paging: .offset(size: 3, end: .total))
  func page(_ request: PageRequest) async throws -> Page<Port> { Page(of: self, [], total: 0) }
}
