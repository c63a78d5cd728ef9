import AggregatorCore

/// What was spent of every budget, kept on the server: for every process of every machine that uses this store.
///
/// The rules are those of `BudgetBook`, as functions on the server, so that no lock is held while a process does something else. The server's
/// clock is the only one, and is read behind the lock.
struct PostgresBudgets: BudgetKeeper {
  let server: Server

  func reserve(_ ticket: BudgetTicket, at now: Moment, noLaterThan latest: Moment) async throws -> BudgetSlot {
    do {
      return try await slot(for: ticket, at: now, noLaterThan: latest)
    } catch var error as SourceError where error.kind == .storage {
      error.kind = .uncountedBudget
      error.message = "the budget cannot be counted: \(error.message)"
      throw error
    }
  }

  private func slot(for ticket: BudgetTicket, at now: Moment, noLaterThan latest: Moment) async throws -> BudgetSlot {
    var (slot, ahead) = try await reserve(ticket, within: latest - now)
    let ended = Set(ahead).filter { ProcessName($0)?.hasEnded == true }
    if !ended.isEmpty {
      // Who was killed on this machine gets no answer any more.
      try await server.write { transaction in
        transaction.queue(Query("SELECT aggregator.abandon_budget($1)", SQLList(ended)))
      }
      (slot, _) = try await reserve(ticket, within: latest - now)
    }
    return slot.isTaken ? .taken(now + slot.wait) : .tooLate(now + slot.wait)
  }

  func settle(_ ticket: BudgetTicket, at moment: Moment?) async {
    _ = try? await server.write(patience: .seconds(5)) { transaction in
      transaction.queue(Query("SELECT aggregator.settle_budget($1, $2)", Int64(bitPattern: ticket.id), moment != nil))
    }
  }

  /// The slot, and whose requests it has to wait for.
  private func reserve(
    _ ticket: BudgetTicket, within patience: Duration
  ) async throws -> (slot: (isTaken: Bool, wait: Duration), ahead: [String]) {
    try await server.write { transaction in
      let rows = try await transaction.run(
        Query(
          "SELECT is_taken, wait, unnest(ahead || ''::text) FROM aggregator.reserve_budget($1, $2, $3, $4, $5, $6)",
          Int64(bitPattern: ticket.id), SQLList(ticket.rates.map(\.name)), SQLList(ticket.rates.map { Int64($0.rate.count) }),
          SQLList(ticket.rates.map { $0.rate.period.nanoseconds }), patience.nanoseconds, ProcessName.own.text))
      let slot = rows[0].first { (isTaken: $0.bool(0), wait: Duration.nanoseconds($0.int64(1))) }
      return (slot ?? (false, patience), rows[0].map { $0.text(2) })
    }
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 { Moment(sinceEpoch: self).nanoseconds }
}

extension Schema {
  /// Times are nanoseconds since 1970 by the server's clock.
  static let budgets = [
    """
    CREATE TABLE aggregator.budget_slot(
      place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text COLLATE "C" NOT NULL,
      ticket bigint NOT NULL,
      at bigint NOT NULL,
      is_open boolean NOT NULL,
      process text NOT NULL
    )
    """,
    "COMMENT ON TABLE aggregator.budget_slot IS 'When requests may be sent, or were answered, under the name of each rate.'",
    "CREATE INDEX ON aggregator.budget_slot(name, place)",
    "CREATE INDEX ON aggregator.budget_slot(ticket)",
    """
    CREATE FUNCTION aggregator.reserve_budget(
      ticket bigint, names text[], counts bigint[], periods bigint[], patience bigint, process text,
      OUT is_taken boolean, OUT wait bigint, OUT ahead text[]
    ) LANGUAGE plpgsql AS $$
    BEGIN
      -- In one order, so that no two wait for each other.
      PERFORM pg_advisory_xact_lock(hashtextextended(name, 2)) FROM (SELECT DISTINCT unnest(names) AS name ORDER BY 1) AS sorted;
      SELECT reserved.is_taken, reserved.wait, reserved.ahead INTO is_taken, wait, ahead FROM aggregator.reserve_budget_at(
        (extract(epoch FROM clock_timestamp()) * 1000000000)::bigint, ticket, names, counts, periods, patience, process) AS reserved;
    END $$
    """,
    """
    CREATE FUNCTION aggregator.reserve_budget_at(
      now bigint, of_ticket bigint, names text[], counts bigint[], periods bigint[], patience bigint, by_process text,
      OUT is_taken boolean, OUT wait bigint, OUT ahead text[]
    ) LANGUAGE plpgsql AS $$
    DECLARE
      -- No request takes longer than that: its sender is gone or stopped.
      longest CONSTANT bigint := 45000000000;
      latest CONSTANT bigint := now + patience;
      slot bigint := now;
      own bigint;
      counted bigint;
      last bigint;
      leaving bigint;
    BEGIN
      ahead := '{}';
      FOR i IN 1 .. coalesce(array_length(names, 1), 0) LOOP
        -- What a clock noted that was ahead, and what can no longer matter to the rate.
        DELETE FROM aggregator.budget_slot WHERE name = names[i] AND at > greatest(latest, now + longest);
        DELETE FROM aggregator.budget_slot WHERE name = names[i] AND NOT is_open AND at < (
          SELECT at FROM aggregator.budget_slot WHERE name = names[i] AND NOT is_open ORDER BY at DESC LIMIT 1 OFFSET counts[i] - 1);
      END LOOP;
      FOR i IN 1 .. coalesce(array_length(names, 1), 0) LOOP
        own := coalesce((SELECT min(place) FROM aggregator.budget_slot WHERE name = names[i] AND ticket = of_ticket), 9223372036854775807);
        WITH others AS (
          SELECT CASE WHEN NOT is_open THEN least(at, now) WHEN now - at > longest THEN at ELSE greatest(at, now) END AS spent,
            CASE WHEN is_open THEN process END AS process
          FROM aggregator.budget_slot WHERE name = names[i] AND place <> own AND (place < own OR NOT is_open))
        SELECT count(*), max(spent), (array_agg(spent ORDER BY spent DESC))[counts[i]], ahead || array_remove(array_agg(DISTINCT process), NULL)
        INTO counted, last, leaving, ahead FROM others;
        IF counted > 0 THEN
          slot := greatest(slot, last);
          IF counted >= counts[i] THEN slot := greatest(slot, leaving + periods[i]); END IF;
        END IF;
      END LOOP;
      wait := slot - now;
      is_taken := slot <= latest;
      IF NOT is_taken THEN
        DELETE FROM aggregator.budget_slot WHERE ticket = of_ticket AND name = ANY(names);
        RETURN;
      END IF;
      IF wait = 0 THEN ahead := '{}'; END IF;
      UPDATE aggregator.budget_slot SET at = slot WHERE ticket = of_ticket AND name = ANY(names);
      INSERT INTO aggregator.budget_slot(name, ticket, at, is_open, process)
      SELECT wanted.name, of_ticket, slot, true, by_process FROM unnest(names) AS wanted(name)
      WHERE NOT EXISTS(SELECT 1 FROM aggregator.budget_slot AS known WHERE known.ticket = of_ticket AND known.name = wanted.name);
    END $$
    """,
    """
    CREATE FUNCTION aggregator.settle_budget(of_ticket bigint, was_sent boolean) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      IF was_sent THEN
        UPDATE aggregator.budget_slot SET at = (extract(epoch FROM clock_timestamp()) * 1000000000)::bigint, is_open = false
        WHERE ticket = of_ticket;
      ELSE
        DELETE FROM aggregator.budget_slot WHERE ticket = of_ticket;
      END IF;
    END $$
    """,
    """
    CREATE FUNCTION aggregator.abandon_budget(ended text[]) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM aggregator.budget_slot WHERE is_open AND process = ANY(ended)
        AND at > (extract(epoch FROM clock_timestamp()) * 1000000000)::bigint;
      UPDATE aggregator.budget_slot SET is_open = false WHERE is_open AND process = ANY(ended);
    END $$
    """,
  ]
}
