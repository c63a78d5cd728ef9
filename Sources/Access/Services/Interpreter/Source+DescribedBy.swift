public import AggregatorCore

extension Source where Item: Record {
  /// A source from a manifest, with a record type of its own.
  ///
  ///     extension Source<Boat> {
  ///       static var boats: Source { Source("boats", describedBy: try manifest, as: Boat.self) }
  ///     }
  ///
  /// The manifest says what is asked of the service and how its rows are read. `Item` takes each value by the name of its field, so its
  /// fields are declared without `from:` and `reading:`. A record that does not fit the type is skipped and counted. Files beside the
  /// manifest are not read: `bundled` has the records for the last fallback, and `recording` has an HTTP archive.
  ///
  /// If the manifest cannot be read, the source throws that error when it is opened.
  public init(
    _ name: String, describedBy manifest: @autoclosure () throws -> Manifest, as type: Item.Type = Item.self,
    bundled: (@Sendable () throws -> RecordList<Item>)? = nil, recording: (@Sendable () -> [UInt8])? = nil
  ) {
    self.init(
      name, describedBy: try manifest(), as: type, live: { described, _ in described }, bundled: bundled, recording: recording)
  }

  /// The same with a live source from `live`, which answers some requests by itself and passes the others to the described source.
  ///
  ///     Source("boats", describedBy: try manifest, as: Boat.self, live: { described, world in
  ///       BoatsService(described: described, client: try manifest.client(in: world))
  ///     })
  public init<Live: DataSource<Item>>(
    _ name: String, describedBy manifest: @autoclosure () throws -> Manifest, as type: Item.Type = Item.self,
    live: @escaping @Sendable (_ described: Mapped<LooseRecord, Item>, _ world: World) throws -> Live,
    bundled: (@Sendable () throws -> RecordList<Item>)? = nil, recording: (@Sendable () -> [UInt8])? = nil
  ) {
    do {
      let manifest = try manifest()
      let source = try manifest.description(of: name)
      self.init(
        name, source.summary, of: Item.schema, settings: manifest.settings, searches: source.searches,
        paging: source.isEndless ? source.pages : nil, rules: manifest.rules(of: source),
        live: { world in
          let schema = Item.schema
          let records = try manifest.records(of: source, in: world)
          let described = records.schema
          let typed = records.mapped(to: schema) { record in
            let row = try JSON(record.value.bytes)
            do {
              return try schema.read(row)
            } catch let error as SourceError where error.kind == .malformed {
              // A typed record leaves out the values that do not fit their fields.
              var value = record.value
              for misfit in try described.readWithMisfits(row).misfits { value[misfit.field] = .null }
              return try schema.read(JSON(value.bytes))
            }
          }
          return try live(typed, world)
        },
        bundled: bundled, recording: recording)
    } catch {
      self.init(name, "its description cannot be read", of: Item.schema, live: { _ -> Live in throw error })
    }
  }
}
