package io.hypersync.leader.sequencer;

import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.LeaderMessage.Committed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The intents of the entries behind an index, in memory. Single-threaded. */
final class RecentIntents {
  /** The log indexes of one client's intents by sequence number, and the client's worker. */
  private record Client(WorkerId worker, SequenceMap indexes) {}

  private final long after;
  private final List<CommittedIntent> intents = new ArrayList<>();
  private final Map<ClientId, Client> clients = new HashMap<>();

  /** Empty; the first intent is that of entry {@code after + 1}. */
  RecentIntents(long after) {
    this.after = after;
  }

  /** The entries up to this one are elsewhere. */
  long after() {
    return after;
  }

  /** The newest entry. */
  long through() {
    return after + intents.size();
  }

  void add(CommittedIntent intent) {
    intents.add(intent);
    clients
        .computeIfAbsent(
            intent.intent().client(), _ -> new Client(intent.origin(), new SequenceMap()))
        .indexes
        .put(intent.intent().seqNo(), intent.place().logIndex());
  }

  @Nullable Committed find(IntentId intent) {
    Client client = clients.get(intent.client());
    long index = client == null ? SequenceMap.NONE : client.indexes.get(intent.seqNo());
    return index == SequenceMap.NONE ? null : intents.get((int) (index - after - 1)).place();
  }

  /** The worker of the client's first intent here; null if there is none. */
  @Nullable WorkerId worker(ClientId id) {
    Client client = clients.get(id);
    return client == null ? null : client.worker;
  }

  /** The intents up to an entry; not a copy. */
  List<CommittedIntent> through(long index) {
    return intents.subList(0, (int) (index - after));
  }

  /** The intents behind an entry; not a copy. */
  List<CommittedIntent> behind(long index) {
    return intents.subList((int) (index - after), intents.size());
  }
}
