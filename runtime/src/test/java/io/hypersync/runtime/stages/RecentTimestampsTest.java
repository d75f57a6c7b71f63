package io.hypersync.runtime.stages;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Timestamps of the newest mutations, by intent. */
class RecentTimestampsTest {
  private static final String CLIENT = "00000000000000010000000000000002";

  private final RecentTimestamps newest = new RecentTimestamps(3, 2);

  @Test
  void aRowTakesThePlaceOfTheOldest() {
    String[] table = {
      "{}",
      "{'1':[10,11]}",
      "{'1':[10,11],'2':[20,21]}",
      "{'1':[10,11],'2':[20,21],'3':[30,31]}",
      "{'2':[20,21],'3':[30,31],'4':[40,41]}",
      "{'3':[30,31],'4':[40,41],'5':[50,51]}",
    };
    for (int added = 0; added < table.length; added++) {
      assertEquals(named(table[added]), newest.all().toString(), added + " rows");
      newest.add(intent(added + 1));
      newest.set(0, 10L * (added + 1));
      newest.set(1, 10L * (added + 1) + 1);
    }
  }

  @Test
  void onlyWhatIsAskedForAndKnownIsAnswered() {
    for (int i = 1; i <= 4; i++) {
      newest.add(intent(i));
      newest.set(0, i);
      newest.set(1, i);
    }
    assertEquals(
        named("{'2':[2,2],'4':[4,4]}"),
        newest.of(Set.of(intent(1), intent(2), intent(4), intent(9))).toString());
  }

  @Test
  void intentsAreReadAsTheyArePrinted() {
    assertEquals(intent(7), IntentId.parse(intent(7).toString()));
  }

  private static IntentId intent(long seqNo) {
    return new IntentId(new ClientId(1, 2), seqNo);
  }

  private static String named(String table) {
    return table.replaceAll("'(\\d)'", "\"" + CLIENT + "/$1\"");
  }
}
