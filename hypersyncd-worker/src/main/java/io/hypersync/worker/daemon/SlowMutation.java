package io.hypersync.worker.daemon;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.op.FsOp;
import io.hypersync.worker.intents.MutationTimestamps;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One of the mutations that took longest.
 *
 * @param intent its intent id
 * @param pid the thread that made the call
 * @param answeredNs when its reply was written, on the monotonic clock
 */
record SlowMutation(IntentId intent, FsOp op, int pid, MutationTimestamps times, long answeredNs) {
  private static final double NS_PER_US = 1_000;
  private static final long NS_PER_MS = 1_000_000;

  /** As JSON, with the keys of {@code docs/json.md}; {@code path} is null if it is unknown. */
  ObjectNode tree(@Nullable String path, long nowNs) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    tree.put("intent", intent.toString());
    tree.put("op", op.getClass().getSimpleName());
    tree.put("path", path);
    tree.put("pid", pid);
    tree.put("ago_ms", (nowNs - answeredNs) / NS_PER_MS);
    ObjectNode us = tree.putObject("us");
    for (WorkerStage stage : WorkerStage.all()) {
      long tenths = Math.round(10 * stage.nanos(times, answeredNs) / NS_PER_US);
      us.put(stage.name().toLowerCase(Locale.ROOT), tenths / 10.0);
    }
    tree.put("sent_ns", times.sentNs());
    tree.put("arrived_ns", times.arrivedNs());
    return tree;
  }
}
