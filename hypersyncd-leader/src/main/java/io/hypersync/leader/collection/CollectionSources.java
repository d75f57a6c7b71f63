package io.hypersync.leader.collection;

import io.hypersync.leader.lease.OpenLeaseTable;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.past.PastHolds;
import io.hypersync.leader.restore.StateRestores;
import io.hypersync.leader.sequencer.IntentHandler;
import io.hypersync.leader.sequencer.Sequencer;
import io.hypersync.leader.session.SnapshotHolds;
import io.hypersync.leader.session.WorkerSessions;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.snapshot.schedule.SnapshotManager;

/**
 * The parts of a leader that know what is needed, for {@link CollectionManager}. On the agent's
 * thread only.
 */
public record CollectionSources(
    Sequencer sequencer,
    SnapshotManager snapshots,
    PastHolds pasts,
    StateRestores restores,
    IntentHandler intents,
    WorkerSessions sessions,
    SnapshotHolds installs,
    OpenLeaseTable leases,
    OpLog log,
    Clock clock) {}
