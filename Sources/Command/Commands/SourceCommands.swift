import AggregatorCore
import Asking

/// What every source can do, by what it declares.
enum SourceCommands {
  static func all(of source: SourceDescriptor) -> [Command] {
    let walks = [WalkCommand.list(source), WalkCommand.search(source)]
    let others = [NextCommand.next(source), NextCommand.reset(source), SyncCommand.command(of: source), ShowCommand.show(source)]
    let pictures = [source.fields.hasPictures ? ImageCommand.command(of: source) : nil, ShowCommand.pick(source)]
    return (walks + others + pictures).compactMap { $0 } + CompareCommands.all(of: source) + StoredCommands.all(of: source)
  }
}

extension [FieldOutline] {
  /// Those that lists have: some are in a full record alone.
  var inLists: [FieldOutline] { filter { !$0.isDetail } }
}
