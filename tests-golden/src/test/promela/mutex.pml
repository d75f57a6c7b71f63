/*
 * Which host leads: a record with compare-and-swap, and an agent on each host that starts and stops
 * its leader (the process mutex). Time passes in renewal intervals, R. An agent makes a turn in
 * each; it, its health check or the store may also be slow, and it does nothing then.
 *
 *   F  how many R a record must be unchanged before another host takes it
 *   C  how many R pass from then until its leader starts; so long a leader may take to stop
 *
 * Agents are cut off from the store, lose the answers of what they have written, fail their health
 * checks, are killed with their leader and started again. With PAUSES hosts are also stopped
 * (SIGSTOP, a virtual machine that pauses) and go on: then a leader must be fenced off, FENCES.
 *
 * Checked:
 *   - never do leaders run on two hosts, those of stopped hosts not counted
 *   - after SOON ticks without trouble a leader runs, if any host is there that reaches the store
 *
 * Each of these makes a wrong program, which must be found:
 *   NO_CONFIRMATION       the leader starts as soon as the record is taken
 *   TAKES_EARLY           the record is taken after less than F
 *   LOSS_IGNORED          who cannot renew goes on
 *   PAUSES alone          a host that was stopped is not fenced off before another one starts
 *   BLANK_BEFORE_STOP     the record is emptied while the leader still runs
 *   OWN_TOKEN_STARTS      who finds its own token starts at once, though it may just have taken it
 *   NEVER_TAKES           nobody leads
 */
#define N 2
#define NOBODY N
#define F 2
#define C 2
#define SOON (F + C + 2)

#ifdef NO_CONFIRMATION
#define CONFIRM 0
#else
#define CONFIRM C
#endif
#ifdef TAKES_EARLY
#define WAIT (F - 1)
#else
#define WAIT F
#endif

byte holder = NOBODY;   /* what the record says; NOBODY: blank, or not there */

bool up[N];
bool stopped[N];
bool cut[N];            /* the agent does not reach the store */
bool mine[N];           /* it has taken or renewed the record, and knows it */
bool known[N];          /* the record has the revision that it has read last */
byte unchanged[N];      /* ticks for which it has read this revision */
byte trust[N];          /* ticks until its last renewal has expired */
byte confirm[N];        /* ticks until its leader may start */
bool on[N];             /* its leader runs */
byte stopping[N];       /* ticks that its leader may still take to stop; 0: it is not told to */
bool blank[N];          /* it is to empty the record */
bool due[N];
byte calm = 0;          /* ticks without any trouble */
byte leaderless = 0;    /* ticks without a leader that runs */

#define runs(p) (up[p] && !stopped[p])
#define acts(p) (on[p] && !stopped[p])
#define made_its_turn(p) (!(runs(p)) || !due[p])

byte q = 0; /* of loops; 0 between steps, so that it makes no states */

inline one_leads() {
    assert(!(acts(0) && acts(1)))
}

inline write(by, what) {
    holder = what;
    known[0] = (by == 0);
    known[1] = (by == 1);
    unchanged[by] = 0
}

inline takes(one, wait) {
    write(one, one);
    mine[one] = true;
    trust[one] = F;
    confirm[one] = wait
}

inline stops(ones) {
    mine[ones] = false;
    confirm[ones] = 0;
    if
    :: on[ones] && stopping[ones] == 0 -> stopping[ones] = C
    :: else
    fi
}

inline starts(its) {
#ifdef FENCES
    on[1 - its] = false; stopping[1 - its] = 0;
#endif
    on[its] = true;
    one_leads()
}

/* A turn of an agent that reaches the store, and whose health check is good. */
inline turn(here) {
    due[here] = false;
    if
    :: on[here] && stopping[here] > 0 -> skip /* first of all that has to end */
    :: !(on[here] && stopping[here] > 0) && holder == here && mine[here] && known[here] ->
        takes(here, confirm[here]);
        if
        :: confirm[here] == 0 && !on[here] -> starts(here)
        :: else
        fi
    :: !(on[here] && stopping[here] > 0) && holder == here && !(mine[here] && known[here]) ->
        /* Written by an earlier run of it, or by a call without an answer: since when? */
#ifdef OWN_TOKEN_STARTS
        takes(here, 0)
#else
        takes(here, CONFIRM)
#endif
    :: !(on[here] && stopping[here] > 0) && holder == NOBODY -> takes(here, 0)
    :: !(on[here] && stopping[here] > 0) && holder == 1 - here ->
#ifndef LOSS_IGNORED
        stops(here);
#endif
        if
        :: !known[here] -> known[here] = true; unchanged[here] = 0
#ifdef NEVER_TAKES
        :: known[here] -> skip
#else
        :: known[here] && unchanged[here] >= WAIT -> takes(here, CONFIRM)
        :: known[here] && unchanged[here] < WAIT -> skip
#endif
        fi
    fi
}

/* An agent finds that its leader, or its host, is ill. */
inline fails(its) {
    due[its] = false;
    calm = 0;
    if
    :: mine[its] && holder == its && known[its] ->
#ifdef BLANK_BEFORE_STOP
        write(its, NOBODY);
#else
        blank[its] = true;
#endif
        stops(its)
    :: else -> stops(its)
    fi
}

/* Its leader has ended, so the next one need not wait; one attempt. */
inline empties(its) {
    blank[its] = false;
    if
    :: !cut[its] && holder == its && known[its] && !on[its] -> write(its, NOBODY)
    :: else
    fi
}

inline passes() {
    for (q : 0 .. N - 1) {
        if
        :: stopping[q] > 0 && !stopped[q] ->
            stopping[q]--;
            if :: stopping[q] == 0 -> on[q] = false :: else fi
        :: else
        fi;
        if :: trust[q] > 0 -> trust[q]-- :: else fi;
        if :: confirm[q] > 0 -> confirm[q]-- :: else fi;
        if :: unchanged[q] <= F -> unchanged[q]++ :: else fi;
        /* By its own clock, whatever it waits for. */
#ifndef LOSS_IGNORED
        if :: runs(q) && trust[q] == 0 && mine[q] -> stops(q) :: else fi;
#endif
        due[q] = runs(q)
    }
    q = 0;
    if
    :: acts(0) || acts(1) -> leaderless = 0
    :: !(acts(0) || acts(1)) && leaderless <= SOON -> leaderless++
    :: else
    fi;
    if :: calm <= SOON -> calm++ :: else fi;
    assert(calm <= SOON || leaderless <= SOON || !((runs(0) && !cut[0]) || (runs(1) && !cut[1])))
}

proctype agent(byte p) {
    do
    :: d_step { runs(p) && due[p] && !cut[p] && !blank[p] -> turn(p) }
    /* What it has written has arrived, and nobody tells it so. */
    :: d_step {
        runs(p) && due[p] && !cut[p] && !blank[p] && !on[p] && holder != p ->
        turn(p); mine[p] = false; confirm[p] = 0; known[p] = false; calm = 0 }
    :: d_step {
        runs(p) && due[p] && !cut[p] && mine[p] && known[p] && holder == p ->
        write(p, p); known[p] = false; due[p] = false; calm = 0 }
    :: d_step { runs(p) && due[p] -> due[p] = false; calm = 0 }
    :: d_step { runs(p) && due[p] && cut[p] -> due[p] = false }
    :: d_step { runs(p) && due[p] && !blank[p] -> fails(p) }
    :: d_step { runs(p) && blank[p] && !on[p] -> empties(p) }
    :: d_step { cut[p] = !cut[p]; calm = 0 }
#ifdef PAUSES
    :: d_step { runs(p) -> stopped[p] = true; calm = 0 }
    :: d_step { up[p] && stopped[p] -> stopped[p] = false; due[p] = true; calm = 0; one_leads() }
#endif
    /* Killed; its leader does not outlive it. */
    :: d_step {
        up[p] ->
        up[p] = false; stopped[p] = false; on[p] = false; stopping[p] = 0; mine[p] = false;
        known[p] = false; unchanged[p] = 0; trust[p] = 0; confirm[p] = 0; blank[p] = false;
        due[p] = false; calm = 0 }
    :: d_step { !up[p] -> up[p] = true; due[p] = true; calm = 0 }
    od
}

/* Whoever runs makes its turn before time goes on. */
proctype time() {
    do
    :: d_step { (made_its_turn(0) && made_its_turn(1)) -> passes() }
    od
}

init {
    atomic {
        up[0] = true; up[1] = true;
        run agent(0);
        run agent(1);
        run time()
    }
}
