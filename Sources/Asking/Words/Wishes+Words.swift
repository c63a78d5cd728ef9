public import AggregatorCore

// What only one verb wants, read from the words of an ask.

extension CountWishes {
  /// Reads the wishes for a count of the records of that source.
  public init(reading words: AskWords, of source: SourceDescriptor) throws(AskError) {
    func path(_ parameter: Ask.Parameter) throws(AskError) -> FieldPath? {
      try parameter.meanings(in: words) { text throws(SourceError) in [try source.fields.leaves.leaf(called: text).path] }.last
    }
    self.init(by: try path(.by), sum: try path(.sum))
  }
}

extension AuditWishes {
  /// Reads the wishes for a recount.
  public init(reading words: AskWords) throws(AskError) {
    self.init(seed: try Ask.Parameter.seed.number(in: words))
    requests = try Ask.Parameter.requests.number(in: words) ?? requests
  }
}

extension SyncWishes {
  /// Reads the wishes for a sync.
  public init(reading words: AskWords) throws(AskError) {
    let acceptsGone = try Ask.Parameter.acceptGone.isSaid(in: words)
    let isFull = try Ask.Parameter.full.isSaid(in: words)
    self.init(
      full: isFull || acceptsGone, acceptingGone: acceptsGone, freezing: try Ask.Parameter.freeze.isSaid(in: words))
  }
}

extension ChangesWishes {
  /// Reads the wishes for changes. Throws if their time ends before it begins.
  public init(reading words: AskWords, at now: Moment) throws(AskError) {
    self.init()
    since =
      try Ask.Parameter.since.meanings(in: words) { text throws(SourceError) in [try ChangesSince(text, at: now)] }.last
      ?? .ever
    until = try Ask.Parameter.until.moment(in: words, at: now)
    if words[.since] != nil, case .moment(let start) = since, let end = until, end <= start {
      throw .mismatch(Ask.Parameter.until.name, with: Ask.Parameter.since.name, expected: "a time after since")
    }
    if try Ask.Parameter.onlyNew.isSaid(in: words) { kinds.insert(.new) }
    // An edit ends because the value changed.
    if try Ask.Parameter.onlyChanged.isSaid(in: words) { kinds.formUnion([.changed, .editEnded]) }
    if try Ask.Parameter.onlyGone.isSaid(in: words) { kinds.insert(.gone) }
  }
}

extension AskWords {
  /// The dice for a `pick`: those of the seed that the words give, or else those of the system.
  public var dice: any Dice {
    get throws(AskError) {
      let seed = try Ask.Parameter.seed.number(in: self)
      return seed.map { SeededDice(seed: UInt64(bitPattern: Int64($0))) } ?? SystemDice()
    }
  }
}
