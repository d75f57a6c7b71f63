package io.hypersync.cli.runtime;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;

/**
 * What the threads of this process are doing, virtual ones left out. It stops all of them for a
 * moment, so it is for people who look for a fault, not for something that asks again and again.
 */
final class ThreadDump {
  private static final int DEPTH = 64;
  private static final int MOST = 500;

  private ThreadDump() {}

  static ObjectNode json() {
    ThreadInfo[] all = ManagementFactory.getThreadMXBean().dumpAllThreads(false, false, DEPTH);
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("count", all.length);
    ArrayNode threads = json.putArray("threads");
    for (ThreadInfo each : all) {
      if (threads.size() == MOST) {
        break;
      }
      ObjectNode thread =
          threads
              .addObject()
              .put("name", each.getThreadName())
              .put("state", each.getThreadState().name())
              .put("waits_for", each.getLockName());
      ArrayNode stack = thread.putArray("stack");
      for (StackTraceElement frame : each.getStackTrace()) {
        stack.add(frame.toString());
      }
    }
    return json;
  }
}
