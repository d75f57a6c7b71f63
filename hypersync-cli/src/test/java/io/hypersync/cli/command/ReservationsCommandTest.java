package io.hypersync.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.cli.render.HazardsReport;
import io.hypersync.cli.render.ReservationsReport;
import io.hypersync.cli.render.StatusReport;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What people read of reservations: nothing known is not the same as nothing reserved. */
class ReservationsCommandTest {
  private static final String BLUE =
      "{'agent':'Blue','pattern':'src/*.go','exclusive':true,'project':'/ws','expires_in_ms':60000}";
  private static final String GREEN =
      "{'agent':'Green','pattern':'src/a.go','exclusive':false,'project':'/ws',"
          + "'expires_in_ms':3600000}";

  @Test
  void whoHoldsWhatAndForHowLong() throws IOException {
    String text = render("'fresh':true,'age_ms':800,'held':[" + GREEN + "," + BLUE + "]");
    assertTrue(text.contains("Blue"), text);
    assertTrue(text.contains("alone"), text);
    assertTrue(text.contains("shared"), text);
    assertFalse(text.contains("STALE"), text);
    assertFalse(text.contains("In each other's way"), text);
  }

  @Test
  void whatIsInEachOthersWay() throws IOException {
    String text =
        render("'fresh':true,'held':[" + BLUE + "],'conflicting':[[" + GREEN + "," + BLUE + "]]");
    String conflicts = text.substring(text.indexOf("In each other's way"));
    assertTrue(conflicts.contains("Green") && conflicts.contains("Blue"), text);
  }

  @Test
  void nothingIsReserved() throws IOException {
    assertEquals("No reservations.\n", render("'fresh':true,'age_ms':800,'held':[]"));
  }

  @Test
  void aStaleSourceIsSaidFirst() throws IOException {
    String text = render("'fresh':false,'age_ms':90000,'last_error':'it is not there','held':[]");
    assertTrue(text.startsWith("STALE for 1m"), text);
    assertTrue(text.contains("may be over"), text);
    assertTrue(text.contains("it is not there"), text);
    assertTrue(text.contains("No reservations are known."), text);
  }

  @Test
  void aSourceThatWasNeverReadIsSaid() throws IOException {
    String text = render("'fresh':false,'age_ms':null,'last_error':'no such folder','held':[]");
    assertTrue(text.startsWith("NOT READ YET (no such folder)"), text);
  }

  @Test
  void withoutASourceItSaysHowToNameOne() throws IOException {
    String text = ReservationsReport.render(json("{'source':'none','fresh':false}"));
    assertTrue(text.contains("hypersync.agent_mail.archive"), text);
  }

  @Test
  void whatIsLeftOutIsSaid() throws IOException {
    String text = render("'fresh':true,'held':[],'dropped':3,'damaged':2,'unread':1,'elsewhere':4");
    assertEquals(5, text.lines().count(), text);
  }

  @Test
  void statusHasALineIfThereIsASource() throws IOException {
    String with =
        StatusReport.render(
            json(
                "{'leaders':[{'reservations':"
                    + "{'source':'archive','fresh':false,'age_ms':90000,'active':7,'conflicts':1}}]}"));
    assertTrue(with.contains("reserved"), with);
    assertTrue(with.contains("7, 1 in conflict; STALE for"), with);
    String without = StatusReport.render(json("{'leaders':[{'reservations':{'source':'none'}}]}"));
    assertFalse(without.contains("reserved"), without);
  }

  @Test
  void aHazardWithAReservationNamesHolderAndPattern() throws IOException {
    JsonNode entry =
        json(
            "{'log_index':7,'committed_at':'now','agent':'','worker_id':'b','hazards':[{"
                + "'kind':'write_into_reservation','agent':'Blue','pattern':'src/*.go',"
                + "'exclusive':true,'path':'src/a.go','node':'n'}]}");
    assertEquals(
        "now  entry 7 by b  write_into_reservation with src/*.go of Blue: src/a.go",
        HazardsReport.line(entry));
  }

  @Test
  void whetherTheyAreEnforcedIsSaidAndWhatWasRefused() throws IOException {
    String on =
        render(
            "'fresh':true,'enforcement':'on','refused':1200,'held':[],'refusals':[{'refused_at':'now',"
                + "'agent':'Blue','worker_id':'b','path':'src/a.go','holder':'Green',"
                + "'pattern':'src/*.go'}]");
    assertTrue(on.startsWith("Enforced: "), on);
    assertTrue(on.contains("1,200 refused") && on.contains("Blue@b"), on);
    String suspended = render("'fresh':false,'age_ms':90000,'enforcement':'suspended','held':[]");
    assertTrue(suspended.contains("NOT enforced"), suspended);
    String off = render("'fresh':true,'enforcement':'off','held':[],'refusals':[]");
    assertEquals("No reservations.\n", off);
  }

  @Test
  void statusSaysWhetherTheyAreEnforced() throws IOException {
    String known = "{'leaders':[{'reservations':{'source':'http','active':7,'conflicts':1,'fresh':";
    String on = StatusReport.render(json(known + "true,'enforcement':'on','refused':3}}]}"));
    assertTrue(on.contains("7, 1 in conflict, enforced: 3 refused"), on);
    String suspended =
        StatusReport.render(
            json(known + "false,'age_ms':90000,'enforcement':'suspended','refused':3}}]}"));
    assertTrue(suspended.contains("NOT enforced while stale: 3 refused; STALE for"), suspended);
  }

  @Test
  void statusSaysHowTheMailGoes() throws IOException {
    String line =
        StatusReport.render(
            json(
                "{'leaders':[{'agent_mail':{'messages':'on','sent':12,'pending':3,'dropped':0,"
                    + "'blocked':2,'uncertain':0,'backing_off_ms':8000,'last_error':'nobody',"
                    + "'not_told':[{'agent':'Blue','project':'/ws','why':'CONTACT_REQUIRED'}]}}]}"));
    assertTrue(
        line.contains(
            "12 sent, 3 pending, 2 blocked; waits 8s; NOT REACHED: nobody; not told: Blue"
                + " (CONTACT_REQUIRED)"),
        line);
    String off = StatusReport.render(json("{'leaders':[{'agent_mail':{'messages':'off'}}]}"));
    assertFalse(off.contains("mail"), off);
  }

  private static String render(String fields) throws IOException {
    return ReservationsReport.render(json("{'source':'archive'," + fields + "}"));
  }

  private static JsonNode json(String text) throws IOException {
    return new ObjectMapper().readTree(text.replace('\'', '"'));
  }
}
