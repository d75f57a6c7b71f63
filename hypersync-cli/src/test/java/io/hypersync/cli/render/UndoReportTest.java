package io.hypersync.cli.render;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What people read of undos, of who has changed a path, and of bisections. */
class UndoReportTest {
  private static JsonNode json(String text) throws IOException {
    return new ObjectMapper().readTree(text.replace('\'', '"'));
  }

  private static String undo(String more) throws IOException {
    JsonNode answer =
        json(
            "{'agent':'Blue','agent_entries':3,'since_index':5,'first_index':6,"
                + "'last_agent_index':9,"
                + more
                + "}");
    return UndoReport.render(answer, "AGAIN", "BACK");
  }

  @Test
  void aPlanNamesWhatIsContestedAndByWhom() throws IOException {
    assertEquals(
        """
        changed   src/a
        contested src/b  (content changed since, entry 8 by Red@w1)
        contested d  (not empty: things are in it that stay)
        3 entries of Blue, from 6 to 9: 1 changed
        2 paths are contested and left. What others did to one: ./hypersync who <path>
        Nothing was done. Do it: AGAIN
        """,
        undo(
            "'dry_run':true,'list_complete':true,'planned':{'changed':1},"
                + "'actions':[{'action':'changed','path':'src/a','type':'file'}],"
                + "'contested_count':2,'contested_complete':true,'contested':["
                + "{'path':'src/b','what':'content','why':'changed_since','forced':false,"
                + "'log_index':8,'agent':'Red','worker_id':'w1'},"
                + "{'path':'d','what':'name','why':'has_others','forced':false}]"));
  }

  @Test
  void whatIsDoneCanBeUndone() throws IOException {
    String text = undo("'dry_run':false,'done':{'removed':2},'entries':4");
    assertTrue(text.contains("2 removed, by 4 entries"), text);
    assertTrue(text.contains("Undo this again: BACK"), text);
  }

  @Test
  void nothingIsToBeDone() throws IOException {
    assertEquals(
        "3 entries of Blue, from 6 to 9: nothing is to be done\n",
        undo("'dry_run':true,'planned':{'changed':0}"));
    assertEquals(
        "There is no entry of Blue from entry 5 on.\n",
        UndoReport.render(json("{'agent':'Blue','agent_entries':0,'since_index':5}"), "", ""));
  }

  @Test
  void namesDoNotReachTheTerminalRaw() throws IOException {
    String undone =
        undo(
            "'dry_run':true,'planned':{},'contested':[{'path':'a\\u001b[2J','what':'name',"
                + "'why':'x\\u001b','log_index':1,'agent':'\\u001bR','worker_id':'w'}]");
    String who =
        WhoReport.render(
            json(
                "{'changes':[{'log_index':1,'committed_at':'t','agent':'\\u001bA',"
                    + "'worker_id':'w','op':'Rename','what':'moved','path':'\\u001bp',"
                    + "'other_path':'\\u001bo'}],'exists':false,'path':'\\u001bp',"
                    + "'complete':true}"));
    String found =
        BisectReport.render(
            json(
                "{'found':true,'first_bad':7,'entry':{'op':'Write','path':'\\u001bp',"
                    + "'agent':'\\u001bA','worker_id':'w','committed_at':'t'}}"));
    assertFalse((undone + who + found).contains("\u001b"), undone + who + found);
    assertTrue(found.contains("The first bad entry is 7"), found);
  }

  @Test
  void whoSaysHowFarItHasLooked() throws IOException {
    String some =
        WhoReport.render(
            json(
                "{'changes':[],'exists':true,'searched_from':50,'oldest_index':2,"
                    + "'complete':false,'content_known':true}"));
    assertEquals(
        "No change was found.\nIt has looked back to entry 50; further: --all, or ./hypersync log"
            + " --path.\n",
        some);
    String all =
        WhoReport.render(
            json(
                "{'changes':[],'exists':false,'path':'f','searched_from':2,'oldest_index':2,"
                    + "'complete':true,'content_known':false}"));
    assertEquals(
        """
        No change was found.
        There is no f now.
        The log begins with entry 2.
        Changes of content of what was there earlier may be missing.
        """,
        all);
  }

  @Test
  void whatCannotBeJudgedLeavesARange() throws IOException {
    String text =
        BisectReport.render(json("{'found':false,'last_good':6,'first_bad':10,'skipped':[7,8,9]}"));
    assertEquals(
        "The first bad entry is behind entry 6, and entry 10 at the latest: 3 states cannot be"
            + " judged.\n",
        text);
  }
}
