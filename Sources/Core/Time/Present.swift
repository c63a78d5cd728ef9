/// What "today" is while records are shown: an age is computed, not stored.
public enum Present {
  /// Whoever shows records brings the clock; a replay brings that of its recording.
  @TaskLocal public static var clock: any Timekeeper = SystemTime()

  public static var day: CalendarDay { CalendarDay(clock.now) }
}
