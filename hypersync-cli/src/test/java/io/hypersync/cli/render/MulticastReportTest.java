package io.hypersync.cli.render;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What a person sees of multicast. */
class MulticastReportTest {
  private final StringBuilder text = new StringBuilder();

  @Test
  void aLeaderWithoutMulticastSaysNothingOfIt() throws IOException {
    MulticastReport.append(text, json("{'multicast': null, 'workers': []}"));
    assertEquals("", text.toString());
  }

  @Test
  void aLeaderSaysWhoHearsNothingAndWhy() throws IOException {
    MulticastReport.append(
        text,
        json(
            """
            {'multicast': {'workers_told': 2, 'workers_hearing': 1, 'bytes': 3145728, 'packets': 2300,
             'worst_loss': 0.0123},
             'workers': [
              {'worker_id': 'a', 'data_plane': {'delivery': 'multicast', 'reason': 'hears 98.8 %'}},
              {'worker_id': 'b', 'data_plane': {'delivery': 'stream', 'reason': 'has heard\\nnothing'}}]}
            """));
    assertEquals(
        """
          multicast: 1 of 2 workers hear it, 3.0 MiB sent in 2300 packets, at most 1.2 % lost
            b: has heard\\x0anothing
        """,
        text.toString());
  }

  @Test
  void aWorkerSaysWhatHasCome() throws IOException {
    MulticastReport.appendHeard(
        text,
        json(
            """
            [{'worker_id': 'a', 'multicast': {'joined': true, 'interface': 'eth0',
              'packets_heard': 12345, 'packets_rejected': 6, 'packets_replayed': 7}},
             {'worker_id': 'b', 'multicast': {'joined': false, 'problem': 'no such device'}},
             {'worker_id': 'c', 'multicast': {'joined': false, 'problem': null}}]
            """));
    assertEquals(
        """
          a hears multicast on eth0: 12,345 packets, 6 others rejected, 7 repeated
          b hears no multicast now (no such device): 0 packets, 0 others rejected, 0 repeated
        """,
        text.toString());
  }

  private static JsonNode json(String text) throws IOException {
    return new ObjectMapper().readTree(text.replace('\'', '"'));
  }
}
