/// A store: the records of sources, what a person has read and deleted, how far syncs are, and the last answers.
///
/// `StoreInMemory` is one for the life of a process; the module Store keeps all of it in a file.
public protocol RecordStore: AnswerKeeper, RecordKeeper, PositionKeeper, DeletionKeeper, SyncKeeper, StoreUpkeep {}
