// Written from /openapi.json by `PYTHONPATH=tests python -m client.javascript`; not to be edited.

/** Every route with a JSON answer. */
export interface Routes {
  /**
   * Save a text and queue its processing; `deduped` means that it already existed.
   *
   * `event_at` is when it happened, if not now. The new memory supersedes those in `supersedes`. `hints` are
   * questions that it answers; `entities` and `aspects` describe entities in the text. A save with an
   * `idempotency_key` can be repeated and is saved once.
   */
  "POST /api/memory/remember": {
    body: RememberBody;
    answer: SavedMemory;
  };
  /**
   * Return a page of memories, newest first, with counts of all memories unless `stats` is false.
   *
   * `cursor` (`next` of another page) or `before` (an ID) continues there, whatever has been added or deleted
   * meanwhile. `sort` is `created`, `updated`, `forgotten`, `event`, `importance` or `used`. `total` adds the number
   * of matches, `facets` their counts by `type`, `who`, `project`, `tag`, `source_type` or `state`. Forgotten
   * memories require the permission to recover, archived ones an operator.
   */
  "GET /api/memories": {
    query?: {
      /** Maximum number of rows */
      limit?: number | undefined;
      /** Number of rows to skip */
      offset?: number | undefined;
      /** `next` of the previous page */
      cursor?: string | null | undefined;
      /** ID of a memory to continue after */
      before?: string | null | undefined;
      /** Order: by time of creation, change, forgetting or event, by importance, or by use. Default: created */
      sort?: "created" | "updated" | "forgotten" | "event" | "importance" | "used" | null | undefined;
      /** Direction of the order */
      order?: "asc" | "desc" | undefined;
      /** Only memories that contain these words */
      q?: string | undefined;
      /** Only these IDs, separated by commas */
      ids?: string[] | undefined;
      /** Only memories of this type, such as `decision` */
      type?: string | null | undefined;
      /** Only memories of this author */
      who?: string | null | undefined;
      /** Only rows of this project: its folder, or its name if it is unique */
      project?: string | null | undefined;
      /** Only memories with all these tags: a list, or separated by commas */
      tags?: string | undefined;
      /** Only memories of this kind of source, such as `manual` or `session` */
      sourceType?: string | null | undefined;
      /** Only memories of this source */
      sourceId?: string | null | undefined;
      /** Only memories of this origin */
      origin?: Origin | null | undefined;
      /** Only memories of this space */
      space?: string | null | undefined;
      /** Only memories of other origins */
      notOrigin?: Origin | null | undefined;
      /** Name of a separate part of the store; memories with a scope are found only with it */
      scope?: string | null | undefined;
      /** Only pinned memories, or only others */
      pinned?: boolean | null | undefined;
      /** Minimum importance, 0–1 */
      importanceMin?: number | null | undefined;
      /** Earliest time of creation */
      since?: string | null | undefined;
      /** Latest time of creation */
      until?: string | null | undefined;
      /** Earliest time at which it happened */
      eventSince?: string | null | undefined;
      /** Latest time at which it happened */
      eventUntil?: string | null | undefined;
      /** Default: all except forgotten ones; archived ones belong to removed agents */
      state?: "active" | "superseded" | "forgotten" | "archived" | null | undefined;
      /** The memories of this time */
      asOf?: string | number | null | undefined;
      /** Only memories without a verdict */
      unreviewed?: boolean | undefined;
      /** Also return counts of all memories */
      stats?: boolean | undefined;
      /** Also return the number of matches */
      total?: boolean | undefined;
      /** Also return counts by these fields, separated by commas */
      facets?: string[] | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: MemoryPage;
  };
  /**
   * Change a memory; empty `tags` clear them. `if_version` refuses a concurrent change (409).
   *
   * The refusal contains `current_version`, and `duplicate_memory_id` if another memory has the text.
   */
  "PATCH /api/memory/{memory_id}": {
    path: { memory_id: string; };
    body: PatchBody;
    answer: Modified;
  };
  /**
   * Forget a memory and everything derived only from it; both can be recovered for 30 days.
   *
   * A pinned one needs `force`; `wrong` marks it as untrue. `erase` deletes permanently, even a pinned or forgotten
   * one, and soon its bytes in the database file; `heldBy` then lists documents and copies on disk that may still
   * contain it. `reason` is required.
   */
  "DELETE /api/memory/{memory_id}": {
    path: { memory_id: string; };
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
      /** Key of the session that this call belongs to */
      sessionKey?: string | null | undefined;
      /** Name of the author, for the history. Default: the caller */
      changedBy?: string | null | undefined;
      /** Why; required unless `erase` */
      reason?: string | undefined;
      /** Also if it is pinned */
      force?: boolean | undefined;
      /** The content is untrue, not only unwanted or outdated */
      wrong?: boolean | undefined;
      /** Erase it permanently, with its bytes in the file; also a forgotten one */
      erase?: boolean | undefined;
      /** Refuse the change (409) if the memory has another version */
      ifVersion?: number | null | undefined;
    };
    body?: ForgetOneBody | null;
    answer: Modified;
  };
  /** Return one memory; 404 for a forgotten one, and for a session or commit named by recall. */
  "GET /api/memory/{memory_id}": {
    path: { memory_id: string; };
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: WholeMemory;
  };
  /** Return a memory's history, oldest first; texts of a forgotten one only to callers who may recover it. */
  "GET /api/memory/{memory_id}/history": {
    path: { memory_id: string; };
    query?: {
      /** Maximum number of changes */
      limit?: number | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: History;
  };
  /** Recover a forgotten memory within 30 days; `reason` is required. */
  "POST /api/memory/{memory_id}/recover": {
    path: { memory_id: string; };
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
      /** Key of the session that this call belongs to */
      sessionKey?: string | null | undefined;
      /** Name of the author, for the history. Default: the caller */
      changedBy?: string | null | undefined;
      /** Why; stored in the history */
      reason?: string | undefined;
      /** Refuse the change (409) if the memory has another version */
      ifVersion?: number | null | undefined;
    };
    body?: RecoverBody | null;
    answer: Recovered;
  };
  /**
   * Forget up to 200 memories by IDs, words or filters, with `all` every match; `mode=preview` only lists them.
   *
   * Also forgets everything derived only from them. `force` deletes permanently, including pinned ones; `wrong` marks
   * them as untrue. More than 25 need the `confirm_token` of a preview of the same memories.
   */
  "POST /api/memory/forget": {
    body: ForgetBody;
    answer: ForgetPreview | ForgottenMany;
  };
  /**
   * Return the history of all memories, newest first; `cursor` is `next` of the previous page.
   *
   * Texts of deleted memories are included only for callers who may recover them. Proposals without effect are
   * omitted.
   */
  "GET /api/history": {
    query?: {
      /** Maximum number of rows */
      limit?: number | undefined;
      /** `next` of the previous page */
      cursor?: string | null | undefined;
      /** Only changes of this kind, such as `created` or `deleted` */
      event?: string | null | undefined;
      /** Earliest time: ISO 8601, or YYYY-MM-DD */
      since?: string | null | undefined;
      /** Latest time: ISO 8601, or YYYY-MM-DD */
      until?: string | null | undefined;
      /** Name of a separate part of the store; memories with a scope are found only with it */
      scope?: string | null | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: HistoryPage;
  };
  /**
   * Save a text and queue its processing; `deduped` means that it already existed.
   *
   * `event_at` is when it happened, if not now. The new memory supersedes those in `supersedes`. `hints` are
   * questions that it answers; `entities` and `aspects` describe entities in the text. A save with an
   * `idempotency_key` can be repeated and is saved once.
   */
  "POST /api/hook/remember": {
    body: RememberBody;
    answer: SavedMemory;
  };
  /** Return up to ten IDs with this prefix, including forgotten memories. */
  "GET /api/memories/ids": {
    query: {
      /** Beginning of an ID */
      prefix: string;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: Ids;
  };
  /**
   * Store ratings of a session's memories from -1 to 1, by ID; adjusts the weights that led to them.
   *
   * `unknown` lists memories that the session did not receive.
   */
  "POST /api/memory/feedback": {
    body: FeedbackBody;
    answer: Rated;
  };
  /**
   * Return a page of forgotten values, newest first; they are not saved again automatically.
   *
   * The start of a text is included for callers who may recover it.
   */
  "GET /api/memory/forgotten": {
    query?: {
      /** Maximum number of rows */
      limit?: number | undefined;
      /** `next` of the previous page */
      cursor?: string | null | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: ForgottenValues;
  };
  /** Allow a forgotten value to be saved again; its memory stays forgotten. */
  "POST /api/memory/forgotten/{memory_id}/lift": {
    path: { memory_id: string; };
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: Lifted;
  };
  /** Change up to 200 memories independently; a refused patch does not stop the others. Results are in order. */
  "POST /api/memory/modify": {
    body: ModifyBody;
    answer: ModifiedMany;
  };
  /** Recover up to 200 forgotten memories independently; a refused one does not stop the others. */
  "POST /api/memory/recover": {
    body: RecoverManyBody;
    answer: RecoveredMany;
  };
  /** Return a page of memories that wait for approval, newest first. */
  "GET /api/memory/reviews": {
    query?: {
      /** Maximum number of rows */
      limit?: number | undefined;
      /** `next` of the previous page */
      cursor?: string | null | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: WaitingMemories;
  };
  /** Approve a waiting memory for unasked injection, as data with its origin; only for people, not tools. */
  "POST /api/memory/reviews/{memory_id}/approve": {
    path: { memory_id: string; };
    body?: DecisionBody | null;
    answer: Modified;
  };
  /** Forget a waiting memory as wrong; its text is not saved again automatically. Only for people, not tools. */
  "POST /api/memory/reviews/{memory_id}/reject": {
    path: { memory_id: string; };
    body?: DecisionBody | null;
    answer: Modified;
  };
  /**
   * Save a text and queue its processing; `deduped` means that it already existed.
   *
   * `event_at` is when it happened, if not now. The new memory supersedes those in `supersedes`. `hints` are
   * questions that it answers; `entities` and `aspects` describe entities in the text. A save with an
   * `idempotency_key` can be repeated and is saved once.
   */
  "POST /api/memory/save": {
    body: RememberBody;
    answer: SavedMemory;
  };
  /** Return counts, types, authors and tags of today, the last seven and the last thirty days. */
  "GET /api/memory/timeline": {
    query?: {
      /** Name of a separate part of the store; memories with a scope are found only with it */
      scope?: string | null | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: MemoryTimeline;
  };
  /** Give a removed agent's archived memory to an agent. */
  "POST /api/memory/{memory_id}/adopt": {
    path: { memory_id: string; };
    body?: DecisionBody | null;
    answer: SavedMemory;
  };
  /** Return the sessions that received or omitted a memory, the reasons, and whether they used it. */
  "GET /api/memory/{memory_id}/usage": {
    path: { memory_id: string; };
    query?: {
      /** Maximum number of rows */
      limit?: number | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: MemoryUsage;
  };
  /**
   * Return the memories that answer a question, best first.
   *
   * Times in the question ("last week") are relative to `now`, with days of `timezone` (an IANA name; both default to
   * the daemon's). `as_of` answers with the state of that time. Times are ISO-8601 or YYYY-MM-DD. `expand` adds
   * transcripts under `sources`, `explain` explains each rank, `why_not` (an ID) why that memory is not a result.
   * With `touch` false the results do not count as used. `entities` and `cards` describe the entities in the
   * question.
   */
  "POST /api/memory/recall": {
    body: RecallBody;
    answer: Recalled;
  };
  /** Answer a question in the query string: `q` and the fields of the recall body. */
  "GET /api/memory/search": {
    query?: {
      /** The question. Required */
      q?: string | undefined;
      /** Words for the keyword search. Default: those of `query` */
      keywordQuery?: string | null | undefined;
      /** Maximum number of results */
      limit?: number | undefined;
      /** Only memories of this type, such as `decision` */
      type?: string | null | undefined;
      /** Only memories with all these tags: a list, or separated by commas */
      tags?: string | undefined;
      /** Only memories of this author */
      who?: string | null | undefined;
      /** Only pinned memories, or only others */
      pinned?: boolean | null | undefined;
      /** Minimum importance, 0–1 */
      importanceMin?: number | null | undefined;
      /** Minimum score, 0 to 1 */
      minScore?: number | null | undefined;
      /** Minimum relevance; 0 returns everything */
      floor?: number | null | undefined;
      /** Earliest time: ISO 8601, or YYYY-MM-DD */
      since?: string | null | undefined;
      /** Latest time: ISO 8601, or YYYY-MM-DD */
      until?: string | null | undefined;
      /** Answer as the memory was at this time */
      asOf?: string | number | null | undefined;
      /** Reference time for words such as "yesterday". Default: now */
      now?: string | number | null | undefined;
      /** IANA time zone, for the bounds of days. Default: the daemon's */
      timezone?: string | null | undefined;
      /** Only rows of this project: its folder, or its name if it is unique */
      project?: string | null | undefined;
      /** Name of a separate part of the store; memories with a scope are found only with it */
      scope?: string | null | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
      /** Key of the session that this call belongs to */
      sessionKey?: string | null | undefined;
      /** Only memories of communities that the question names */
      community?: boolean | undefined;
      /** Also return, under `sources`, transcripts of the sessions of the results */
      expand?: boolean | undefined;
      /** Also describe the entities in the question */
      entities?: boolean | undefined;
      /** Also return a card for each entity in the question */
      cards?: boolean | undefined;
      /** Explain the rank of each result */
      explain?: boolean | undefined;
      /** Count the results as used; false for a look */
      touch?: boolean | undefined;
      /** Mark the question's words in each result, and cut long results around them */
      highlights?: boolean | undefined;
      /** ID of a memory: say why it is not a result */
      whyNot?: string | null | undefined;
      /** Also return the text that a session would receive with this prompt */
      asPrompt?: boolean | undefined;
    };
    answer: Recalled;
  };
  /**
   * Return the context for a prompt as one text, with its sources; with `id` (`session:abc`) one page of a source.
   *
   * Sessions receive the same block with their prompts. An unknown or foreign source is 404.
   */
  "POST /api/memory/context": {
    body: ContextBody;
    answer: ContextAnswer | EpisodePage;
  };
  /**
   * Return memories that contain the words, best first; without words, those that pass the filters.
   *
   * `distinct` returns the values of `who` or `type` instead. Recall understands questions; this matches only words.
   */
  "GET /memory/search": {
    query?: {
      /** Words to search for */
      q?: string | undefined;
      /** `who` or `type`: return its values instead of memories */
      distinct?: "who" | "type" | null | undefined;
      /** Maximum number of memories; 0 means the default, -1 all */
      limit?: number | undefined;
      /** Only memories of this type, such as `decision` */
      type?: string | null | undefined;
      /** Only memories with all these tags: a list, or separated by commas */
      tags?: string | undefined;
      /** Only memories of this author */
      who?: string | null | undefined;
      /** Only pinned memories, or only others */
      pinned?: boolean | undefined;
      /** Minimum importance, 0–1 */
      importanceMin?: number | null | undefined;
      /** Earliest time: ISO 8601, or YYYY-MM-DD */
      since?: string | null | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: FoundMany | ColumnValues;
  };
  /** Return the memories most similar to the one with this `id`, best first; 404 without a vector. */
  "GET /memory/similar": {
    query?: {
      /** ID of the memory to compare with */
      id?: string | undefined;
      /** Maximum number of results */
      k?: number | undefined;
      /** Only memories of this type, such as `decision` */
      type?: string | null | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: FoundMany;
  };
  /** Return a memory's sources, derived memories, corrections, and entities. */
  "GET /api/memory/{memory_id}/links": {
    path: { memory_id: string; };
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: Links;
  };
  /** Return which agents may read a memory, and the deciding rule. */
  "GET /api/memory/{memory_id}/access": {
    path: { memory_id: string; };
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: Access;
  };
  /**
   * Set a verdict on a memory: `keep`, `fade`, `wrong`, or `none` to remove it; only for people, not tools.
   *
   * The pipeline never changes a memory to keep; one that may fade counts half; a wrong one is forgotten as untrue.
   */
  "POST /api/memory/{memory_id}/review": {
    path: { memory_id: string; };
    body: VerdictBody;
    answer: Modified;
  };
  /**
   * Let a memory enter a space, or propose it where the space asks for review; only for people, not tools.
   *
   * From then on it is read through keys of the space. Its author stays named; facts derived from it stay private.
   */
  "POST /api/memory/{memory_id}/share": {
    path: { memory_id: string; };
    body: ShareBody;
    answer: Share;
  };
  /** Return a memory to its author, with its earlier text and fields, or cancel a proposal; only for people. */
  "POST /api/memory/{memory_id}/withdraw": {
    path: { memory_id: string; };
    body?: DecisionBody | null;
    answer: Share;
  };
  /** Return what was shared, newest first: your own, what is in spaces that you read, what waits for your decision. */
  "GET /api/shares": {
    query?: {
      /** Name of a space */
      space?: string | null | undefined;
      /** Only rows in this state */
      state?: "proposed" | "shared" | "refused" | "withdrawn" | null | undefined;
      /** ID of a memory */
      memoryId?: string | null | undefined;
      /** Maximum number of rows */
      limit?: number | undefined;
      /** `next` of the previous page */
      cursor?: string | null | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: Shares;
  };
  /** Approve or refuse a memory that somebody else proposed; 409 if it has changed since. */
  "POST /api/shares/{share_id}/decide": {
    path: { share_id: string; };
    body: DecideBody;
    answer: Share;
  };
  /** Return the spaces that the caller's key names; every space without a key, and for admins. */
  "GET /api/spaces": {
    answer: Spaces;
  };
  /** Create a space. Nothing is in it, and no key reads it, until you share memories and issue keys. */
  "POST /api/spaces": {
    body: NewSpaceBody;
    answer: Space;
  };
  /** Change the description of a space, or whether what is shared waits for approval. */
  "PATCH /api/spaces/{space}": {
    path: { space: string; };
    body: SpaceBody;
    answer: Space;
  };
  /** Remove a space and withdraw all its memories. */
  "DELETE /api/spaces/{space}": {
    path: { space: string; };
    answer: Done;
  };
  /**
   * Return a page of records, and under `next` the `cursor` of the following page.
   *
   * Contains what the agent may read; `everything` adds private memories of all agents. `since` omits records
   * unchanged since then, `vectors` adds vectors.
   */
  "GET /api/export": {
    query?: {
      /** Only records changed since this time */
      since?: string | null | undefined;
      /** `next` of the previous page */
      cursor?: string | null | undefined;
      /** Also return the vectors */
      vectors?: boolean | undefined;
      /** Also export the private memories of all agents */
      everything?: boolean | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: ExportPage;
  };
  /**
   * Import up to 1,000 records, each completely or not at all, and return the results; repeating it adds nothing.
   *
   * `vectors`: the file contains vectors, so none are created. With a name under `preview` nothing is written; all
   * requests of a dry run share the name, and its last one sets `last`.
   */
  "POST /api/import": {
    body: ImportBody;
    answer: Imported;
  };
  /**
   * Claim a session and return its start context: identity and memories; empty if it already received them.
   *
   * `context` is the session's topic. A plugin that has lost its context sends `needsContext` to receive everything
   * again. 409 if the other runtime path has claimed the session.
   */
  "POST /api/hooks/session-start": {
    body: SessionStartBody;
    answer: StartedSession;
  };
  /**
   * Return the context for a user's message; each text is injected once per session.
   *
   * Transcript and ratings are stored only for a caller that may save.
   */
  "POST /api/hooks/user-prompt-submit": {
    body: PromptBody;
    answer: Prompted;
  };
  /** Store a checkpoint and return instructions for a summary before compaction. */
  "POST /api/hooks/pre-compaction": {
    body: PreCompactionBody;
    answer: Precompaction;
  };
  /** Save the summary of a compaction. */
  "POST /api/hooks/compaction-complete": {
    body: CompactionBody;
    answer: Compacted;
  };
  /** Store the current transcript; the session continues, and new text is queued if there is enough. */
  "POST /api/hooks/session-checkpoint-extract": {
    body: SessionEndBody;
    answer: EndedTurn;
  };
  /** End a session, store its transcript and queue its processing; a cleared session is not stored. */
  "POST /api/hooks/session-end": {
    body: SessionEndBody;
    answer: EndedSession;
  };
  /**
   * Return the session starts of these projects for offline use, as far as the caller may read them; "" means no
   * project.
   */
  "POST /api/hooks/offline": {
    body: OfflineBody;
    answer: OfflineContexts;
  };
  /** Return the memories that answer a question; empty for processes that Signet starts. */
  "POST /api/hooks/recall": {
    body: HookRecallBody;
    answer: Recalled | NothingRecalled;
  };
  /** Save a text from a session; the same text or idempotency key twice creates one memory. */
  "POST /api/hooks/remember": {
    body: HookRememberBody;
    answer: RememberedByHook | NothingRemembered;
  };
  /**
   * Return the active sessions, or with `state=all` also ended ones, latest activity first, with injected and used
   * items.
   *
   * For all sessions, `project`, `harness`, `use` (received nothing, used nothing), `since` and `until` (active in this
   * time) filter; `cursor` is `next` of the previous page.
   */
  "GET /api/sessions": {
    query?: {
      /** `running`: only active sessions; `all`: also ended ones */
      state?: "running" | "all" | undefined;
      /** Only rows of this project: its folder, or its name if it is unique */
      project?: string | null | undefined;
      /** Only sessions of this harness */
      harness?: string | null | undefined;
      /** Only sessions that received nothing, or used nothing of what they received */
      use?: "given_nothing" | "used_nothing" | null | undefined;
      /** Earliest time: ISO 8601, or YYYY-MM-DD */
      since?: string | null | undefined;
      /** Latest time: ISO 8601, or YYYY-MM-DD */
      until?: string | null | undefined;
      /** `next` of the previous page */
      cursor?: string | null | undefined;
      /** Maximum number of rows */
      limit?: number | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: RunningSessions | SessionPage;
  };
  /**
   * Return a session's injections with sources, reasons and use; what was omitted is included.
   *
   * The key may be a prefix, or `latest`: the newest of the folder `project`, or of all. Reading does not count as use.
   */
  "GET /api/sessions/{session_key}/context": {
    path: { session_key: string; };
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
      /** Folder in which `latest` is searched */
      project?: string | null | undefined;
    };
    answer: SessionContext;
  };
  /** Return transcript passages that contain the query's words. */
  "POST /api/sessions/search": {
    body: TranscriptSearchBody;
    answer: Excerpts;
  };
  /** Return the checkpoints of a project's sessions, newest first. */
  "GET /api/checkpoints": {
    query?: {
      /** Maximum number of rows */
      limit?: number | undefined;
      /** Only rows of this project: its folder, or its name if it is unique */
      project?: string | null | undefined;
    };
    answer: Checkpoints;
  };
  /** Return the checkpoints of one session, newest first. */
  "GET /api/checkpoints/{session_key}": {
    path: { session_key: string; };
    answer: Checkpoints;
  };
  /** Return a page of session summaries, latest first; `depth` 0 covers one session, higher ones several. */
  "GET /api/sessions/summaries": {
    query?: {
      /** 0: summaries of one session; 1 or more: of several */
      depth?: string | null | undefined;
      /** Maximum number of rows */
      limit?: number | undefined;
      /** Number of rows to skip */
      offset?: number | undefined;
      /** Only rows of this project: its folder, or its name if it is unique */
      project?: string | null | undefined;
    };
    answer: SummaryPage;
  };
  /** Return an active session. */
  "GET /api/sessions/{session_key}": {
    path: { session_key: string; };
    answer: RunningSession;
  };
  /** Disable or enable a session's hooks. */
  "POST /api/sessions/{session_key}/bypass": {
    path: { session_key: string; };
    body: BypassBody;
    answer: Bypassed;
  };
  /**
   * Delete a session's stored data permanently, and forget memories that come only from it; `mode=preview` only lists
   * them.
   *
   * Only the memories can be recovered. Nothing more of the session is stored afterwards. `reason` is required.
   */
  "POST /api/sessions/{session_key}/forget": {
    path: { session_key: string; };
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    body: ForgetSessionBody;
    answer: SessionPreview | SessionForgotten;
  };
  /** Renew a session's claim to its full duration. */
  "POST /api/sessions/{session_key}/renew": {
    path: { session_key: string; };
    answer: RenewedSession;
  };
  /**
   * Return a whole session: context, messages, saved memories, summary.
   *
   * The key is as for the context. Reading does not count as use.
   */
  "GET /api/sessions/{session_key}/replay": {
    path: { session_key: string; };
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
      /** Folder in which `latest` is searched */
      project?: string | null | undefined;
    };
    answer: SessionReplay;
  };
  /** Return a session's stored transcript. */
  "GET /api/sessions/{session_key}/transcript": {
    path: { session_key: string; };
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: SessionTranscript;
  };
  /** Return the progress of the last run. */
  "GET /api/backfill": {
    answer: Backfill;
  };
  /**
   * Find unread sessions and queue them, newest first; `dry_run` only lists them.
   *
   * With `by_model` the configured model extracts the facts, else the built-in rules.
   */
  "POST /api/backfill": {
    body: BackfillBody;
    answer: StartedBackfill;
  };
  /** Stop reading; finished sessions stay, and the next start finds the rest. */
  "POST /api/backfill/stop": {
    answer: StoppedBackfill;
  };
  /** Return the projects with their number of memories and sessions, the latest session first. */
  "GET /api/projects": {
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: Projects;
  };
  /** Return the request that a run would send to a model now; writes nothing. */
  "POST /api/hooks/synthesis": {
    body?: SynthesisBody | null;
    answer: SynthesisRequest;
  };
  /** Replace MEMORY.md with a text, keeping the earlier one as a backup. */
  "POST /api/hooks/synthesis/complete": {
    body: SynthesisCompleteBody;
    answer: Synthesised;
  };
  /** Return the settings of synthesis. */
  "GET /api/hooks/synthesis/config": {
    answer: SynthesisConfig;
  };
  /** Return whether MEMORY.md is being written, and when it last was. */
  "GET /api/synthesis/status": {
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: SynthesisStatus;
  };
  /** Queue a run now, regardless of the schedule, if a memory has changed; else return the `reason` why not. */
  "POST /api/synthesis/trigger": {
    body?: SynthesisBody | null;
    answer: TriggeredSynthesis;
  };
  /**
   * Restore the MEMORY.md before the last run, without forgotten and outdated statements; a second time brings the
   * replaced one back.
   */
  "POST /api/synthesis/undo": {
    body?: SynthesisBody | null;
    answer: UndoneSynthesis;
  };
  /** Compare sessions with and without memory: effect, cost, notable memories. */
  "GET /api/evaluation": {
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: Evaluation;
  };
  /**
   * Return what a past session's prompts would receive now and, with `settings` (values by dotted key), with those.
   *
   * Does not count as use.
   */
  "POST /api/evaluation/replay": {
    body: ReplayBody;
    answer: Replay;
  };
  /** Return the sessions that can be replayed, newest first. */
  "GET /api/evaluation/sessions": {
    query?: {
      /** Maximum number of rows */
      limit?: number | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: PastSessions;
  };
  /** Return the sessions ranked both ways, newest first. */
  "GET /api/predictor/comparisons": {
    query?: {
      /** ID of an entity */
      entityId?: string | null | undefined;
      /** Maximum number of rows */
      limit?: number | undefined;
      /** Number of rows to skip */
      offset?: number | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
      /** Earliest time: ISO 8601, or YYYY-MM-DD */
      since?: string | null | undefined;
      /** Latest time: ISO 8601, or YYYY-MM-DD */
      until?: string | null | undefined;
      /** Only rows of this project: its folder, or its name if it is unique */
      project?: string | null | undefined;
    };
    answer: ComparisonPage;
  };
  /** Return the results of learned ranking by the session's entity. */
  "GET /api/predictor/comparisons/by-entity": {
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: EntityResults;
  };
  /** Return the results of learned ranking by project. */
  "GET /api/predictor/comparisons/by-project": {
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: ProjectResults;
  };
  /** Restore the original order; observation restarts from zero. */
  "POST /api/predictor/rollback": {
    body?: RollBackBody | null;
    answer: RolledBack;
  };
  /** Return the state and results of learned ranking. */
  "GET /api/predictor/status": {
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: PredictorStatus | PredictorOff;
  };
  /** Recompute an agent's memories from all labels; each session end does this for its own. */
  "POST /api/predictor/train": {
    body?: TrainBody | null;
    answer: Trained;
  };
  /** Return activations and stops of learned ranking, newest first. */
  "GET /api/predictor/training": {
    query?: {
      /** Maximum number of rows */
      limit?: number | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: Trainings;
  };
  /** Return the number of labels. */
  "GET /api/predictor/training-pairs-count": {
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: PairCount;
  };
  /**
   * Store a document and queue its processing; a known one is answered with 200 and `deduplicated`.
   *
   * With `source_type` url or file, `url` is its location. A token limited to an agent cannot name files, which
   * belong to no agent.
   */
  "POST /api/documents": {
    body: DocumentBody;
    answer: AddedDocument;
  };
  /** Return a page of documents, newest first; `include=content` adds their text. */
  "GET /api/documents": {
    query?: {
      /** Only documents with this status, such as `done` or `failed` */
      status?: string | null | undefined;
      /** `content` also returns the texts */
      include?: "content" | null | undefined;
      /** Maximum number of rows */
      limit?: number | undefined;
      /** Number of rows to skip */
      offset?: number | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: DocumentPage;
  };
  /** Return one document. */
  "GET /api/documents/{document_id}": {
    path: { document_id: string; };
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: Document;
  };
  /** Delete a document and forget chunks that belong only to it; `reason` is required. */
  "DELETE /api/documents/{document_id}": {
    path: { document_id: string; };
    query?: {
      /** Why. Required */
      reason?: string | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: ForgottenDocument;
  };
  /** Return the memories of a document's chunks, in order. */
  "GET /api/documents/{document_id}/chunks": {
    path: { document_id: string; };
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: Chunks;
  };
  /** Return all connectors, newest first. */
  "GET /api/connectors": {
    answer: Connectors;
  };
  /**
   * Add a connector, and with `sync` start its first sync; `settings.rootPath` must be a readable folder on this
   * machine.
   */
  "POST /api/connectors": {
    body: ConnectorBody;
    answer: AddedConnector;
  };
  /** Start an incremental sync of every connector. */
  "POST /api/connectors/resync": {
    answer: Resynced;
  };
  /** Return one connector. */
  "GET /api/connectors/{connector_id}": {
    path: { connector_id: string; };
    answer: Connector;
  };
  /** Remove a connector, with `cascade` also its documents. */
  "DELETE /api/connectors/{connector_id}": {
    path: { connector_id: string; };
    query?: {
      /** Also delete its documents */
      cascade?: boolean | undefined;
    };
    answer: RemovedConnector;
  };
  /** Return a connector's state, sync progress and document counts. */
  "GET /api/connectors/{connector_id}/health": {
    path: { connector_id: string; };
    answer: ConnectorHealth;
  };
  /** Queue new and changed files, and delete the documents of removed ones. */
  "POST /api/connectors/{connector_id}/sync": {
    path: { connector_id: string; };
    answer: QueuedSync;
  };
  /** Read every file again; requires `confirm=true`. */
  "POST /api/connectors/{connector_id}/sync/full": {
    path: { connector_id: string; };
    query?: {
      /** Must be `true` */
      confirm?: string | undefined;
    };
    answer: QueuedSync;
  };
  /**
   * Return the entities affected by a change of one, nearest first: its dependents, or with `upstream` its
   * dependencies.
   */
  "POST /api/graph/impact": {
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    body: ImpactBody;
    answer: Impact;
  };
  /** Return the latest communities, the largest first. `POST /api/repair/cluster-entities` recomputes them. */
  "GET /api/knowledge/communities": {
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: Communities;
  };
  /** Return the most important entities with their attributes and dependencies. */
  "GET /api/knowledge/constellation": {
    query?: {
      /** Maximum number of rows */
      limit?: number | undefined;
      /** Maximum number of aspects of each entity */
      maxAspectsPerEntity?: number | undefined;
      /** Maximum number of attributes of each aspect */
      maxAttributesPerAspect?: number | undefined;
      /** Maximum number of edges */
      dependencyLimit?: number | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: Constellation;
  };
  /** Return a page of entities with their counts, the most important first; `q` is part of the name. */
  "GET /api/knowledge/entities": {
    query?: {
      /** Only entities of this type, such as `person` */
      type?: string | null | undefined;
      /** Part of the name */
      q?: string | null | undefined;
      /** Maximum number of rows */
      limit?: number | undefined;
      /** Number of rows to skip */
      offset?: number | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: EntityPage;
  };
  /** Return the results of learned ranking in the sessions about each entity, best first. */
  "GET /api/knowledge/entities/health": {
    query?: {
      /** Earliest time: ISO 8601, or YYYY-MM-DD */
      since?: string | null | undefined;
      /** Only entities with this many compared sessions or more */
      minComparisons?: number | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: EntityHealth[];
  };
  /** Return the pinned entities, newest first; with `pin_type=suppress` the suppressed ones. */
  "GET /api/knowledge/entities/pinned": {
    query?: {
      /** `pin` or `suppress` */
      pinType?: string | null | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: PinnedEntity[];
  };
  /** Return one entity with its counts. */
  "GET /api/knowledge/entities/{entity_id}": {
    path: { entity_id: string; };
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: WholeEntity;
  };
  /** Return an entity's aspects, by weight. */
  "GET /api/knowledge/entities/{entity_id}/aspects": {
    path: { entity_id: string; };
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: Aspects;
  };
  /** Return a page of an entity's attributes under one aspect; active ones unless another status is requested. */
  "GET /api/knowledge/entities/{entity_id}/aspects/{aspect_id}/attributes": {
    path: { entity_id: string; aspect_id: string; };
    query?: {
      /** `attribute` or `constraint` */
      kind?: string | null | undefined;
      /** Status of the attributes. Default: active */
      status?: string | null | undefined;
      /** Maximum number of rows */
      limit?: number | undefined;
      /** Number of rows to skip */
      offset?: number | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: AttributePage;
  };
  /** Return the edges of an entity, the strongest first. */
  "GET /api/knowledge/entities/{entity_id}/dependencies": {
    path: { entity_id: string; };
    query?: {
      /** `incoming`, `outgoing` or `both`. Default: both */
      direction?: string | null | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: Dependencies;
  };
  /** Pin an entity for graph walks regardless of its mentions, or suppress it. */
  "POST /api/knowledge/entities/{entity_id}/pin": {
    path: { entity_id: string; };
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    body?: PinBody | null;
    answer: Pinned;
  };
  /** Remove a pin or a suppression. */
  "DELETE /api/knowledge/entities/{entity_id}/pin": {
    path: { entity_id: string; };
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: Pinned;
  };
  /** Return an entity's attributes by its name, best for the question first, within a token budget. */
  "POST /api/knowledge/expand": {
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    body?: ExpandBody | null;
    answer: Expanded;
  };
  /** Return summaries of the sessions that mention an entity, newest first. */
  "POST /api/knowledge/expand/session": {
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    body: ExpandSessionBody;
    answer: EntitySessions;
  };
  /**
   * Return the most mentioned entities, projects and files, and their edges, as columns, for a map.
   *
   * `min_mentions`, `kinds` and `project` filter them; chunk groups are excluded. Files are those that as many
   * sessions changed.
   */
  "GET /api/knowledge/graph": {
    query?: {
      /** Maximum number of rows */
      limit?: number | undefined;
      /** Only entities with at least this many mentions */
      minMentions?: number | undefined;
      /** Only these kinds, separated by commas */
      kinds?: string[] | undefined;
      /** Only rows of this project: its folder, or its name if it is unique */
      project?: string | null | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: GraphColumns;
  };
  /** Return doubtful rows of the graph; changes nothing. */
  "GET /api/knowledge/hygiene": {
    query?: {
      /** Maximum number of rows */
      limit?: number | undefined;
      /** Maximum number of memories to check */
      memoryLimit?: number | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: Hygiene;
  };
  /** Return the counts of an agent's graph. */
  "GET /api/knowledge/stats": {
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: KnowledgeStats;
  };
  /** Return statistics of the latest graph walk, null before the first. */
  "GET /api/knowledge/traversal/status": {
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: TraversalStatus;
  };
  /** Return a page of memories with a vector, newest first; `vectors` adds the numbers. */
  "GET /api/embeddings": {
    query?: {
      /** Maximum number of rows */
      limit?: number | undefined;
      /** Number of rows to skip */
      offset?: number | undefined;
      /** Also return the vectors */
      vectors?: boolean | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: EmbeddingPage;
  };
  /** Return seven checks of provider and vectors, and one score, over all agents. */
  "GET /api/embeddings/health": {
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: EmbeddingsHealth;
  };
  /**
   * Return a map of memories in two or three dimensions; 202 with `status` computing while it is drawn.
   *
   * `who`, `types` and `tags` are comma-separated.
   */
  "GET /api/embeddings/projection": {
    query?: {
      /** 2 or 3 */
      dimensions?: string | undefined;
      /** Maximum number of memories; 0 means all that fit */
      limit?: number | undefined;
      /** Number of rows to skip */
      offset?: number | undefined;
      /** Only memories that contain these words */
      q?: string | undefined;
      /** Only these authors, separated by commas */
      who?: string[] | undefined;
      /** Only these harnesses, separated by commas */
      harness?: string[] | undefined;
      /** Only these types, separated by commas */
      types?: string[] | undefined;
      /** Only these kinds of source, separated by commas */
      sourceTypes?: string[] | undefined;
      /** Only memories with all these tags: a list, or separated by commas */
      tags?: string | undefined;
      /** Only pinned memories, or only others */
      pinned?: boolean | null | undefined;
      /** Earliest time: ISO 8601, or YYYY-MM-DD */
      since?: string | null | undefined;
      /** Latest time: ISO 8601, or YYYY-MM-DD */
      until?: string | null | undefined;
      /** Minimum importance, 0–1 */
      importanceMin?: number | null | undefined;
      /** Maximum importance, 0 to 1 */
      importanceMax?: number | null | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: Projection;
  };
  /** Return the map of all memories as columns, without texts; 202 with `status` computing while it is drawn. */
  "GET /api/embeddings/projection/columns": {
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: ProjectionColumns | Projection;
  };
  /** Return whether the provider answers, and the tracker's progress. */
  "GET /api/embeddings/status": {
    answer: EmbeddingsStatus;
  };
  /** Return the files at the top of the workspace; secrets are masked for callers without access. */
  "GET /api/config": {
    answer: ConfigFiles;
  };
  /**
   * Replace one of these files; settings that do not parse are refused with their line.
   *
   * With `if_hash`, refuse a file that has changed since (409).
   */
  "POST /api/config": {
    body: ConfigBody;
    answer: Done;
  };
  /**
   * Change settings in agent.yaml, all or none; comments stay, and the running daemon applies them.
   *
   * Invalid values are refused; with `if_hash` also a file that has changed since (409).
   */
  "PATCH /api/config": {
    body: SettingsBody;
    answer: ChangedConfig;
  };
  /** Return every setting with its kind, bounds, default, value and origin; secrets are masked. */
  "GET /api/config/schema": {
    answer: ConfigSchema;
  };
  /** Return name, creature and vibe from IDENTITY.md. */
  "GET /api/identity": {
    answer: AgentIdentity;
  };
  /** Return the caller's identity and permissions. */
  "GET /api/auth/whoami": {
    answer: WhoAmI;
  };
  /** Return a code for one request that the user has confirmed in the dashboard; valid once, for 60 seconds. */
  "POST /api/auth/confirm": {
    body: ConfirmBody;
    answer: Confirmation;
  };
  /**
   * Exchange a one-time link's code for a dashboard session; a code is valid once, for 5 minutes.
   *
   * Every user of the machine can read the link in the browser's arguments, so their programs are refused. A session
   * ends when it expires or is revoked, and with its daemon.
   */
  "POST /api/auth/exchange": {
    body: CodeBody;
    answer: IssuedToken;
  };
  /** Prove to a client that this daemon serves the workspace whose token the client has read. */
  "GET /api/auth/proof": {
    query?: {
      /** 32 to 128 random hexadecimal digits. Required */
      nonce?: string | undefined;
    };
    answer: Proof;
  };
  /** Sign a token, limited to the named scope; it is shown only once. Requires the role admin. */
  "POST /api/auth/token": {
    body: TokenBody;
    answer: IssuedToken;
  };
  /** Return issued and used tokens, latest first, without the tokens themselves. */
  "GET /api/auth/tokens": {
    query?: {
      /** Maximum number of rows */
      limit?: number | undefined;
    };
    answer: Tokens;
  };
  /** Revoke a token, whatever its expiry. */
  "DELETE /api/auth/tokens/{jti}": {
    path: { jti: string; };
    answer: RevokedToken;
  };
  /** Return a page of the audit log, oldest first: who read, shared, exported and deleted what, and when. */
  "GET /api/audit": {
    query?: {
      /** Earliest time: ISO 8601, or YYYY-MM-DD */
      since?: string | null | undefined;
      /** Latest time: ISO 8601, or YYYY-MM-DD */
      until?: string | null | undefined;
      /** Only this actor: the name of a key, `owner`, `peer`, `page` or `daemon` */
      actor?: string | null | undefined;
      /** Only this action */
      action?: AuditAction | null | undefined;
      /** Name of a space */
      space?: string | null | undefined;
      /** Return the last entries instead of the first */
      newest?: boolean | undefined;
      /** `next` of the previous page */
      cursor?: number | undefined;
      /** Maximum number of rows */
      limit?: number | undefined;
    };
    answer: AuditPage;
  };
  /** Return every agent with its policy and number of memories, the default one first. */
  "GET /api/agents": {
    answer: Agents;
  };
  /**
   * Add an agent: an entry in agent.yaml, a row, and a folder for its files.
   *
   * Its policy is isolated, shared, or group with a `policy_group`.
   */
  "POST /api/agents": {
    body: AgentBody;
    answer: NamedAgent;
  };
  /** Return one agent, its memories by visibility, and its files. */
  "GET /api/agents/{name}": {
    path: { name: string; };
    answer: WholeAgent;
  };
  /** Remove an agent; its memories are archived, or erased with `purge`. Its files stay. */
  "DELETE /api/agents/{name}": {
    path: { name: string; };
    query?: {
      /** Erase its memories instead of archiving them */
      purge?: boolean | undefined;
    };
    answer: RemovedAgent;
  };
  /** Return the names of all secrets, oldest first; values are never listed. */
  "GET /api/secrets": {
    answer: Secrets;
  };
  /** Run a shell command on this machine; `secrets` maps variables to secret names. Its output is masked. */
  "POST /api/secrets/exec": {
    body: ExecBody;
    answer: Ran;
  };
  /** Return one value to a person on this machine; agents can use it only as a command's variable. */
  "GET /api/secrets/{name}": {
    path: { name: string; };
    answer: SecretValue;
  };
  /** Store a secret, replacing an earlier one. */
  "POST /api/secrets/{name}": {
    path: { name: string; };
    body: SecretBody;
    answer: KeptSecret;
  };
  /** Delete a secret. */
  "DELETE /api/secrets/{name}": {
    path: { name: string; };
    answer: KeptSecret;
  };
  /** Run a shell command with one secret in the variable of its name. */
  "POST /api/secrets/{name}/exec": {
    path: { name: string; };
    body: ExecBody;
    answer: Ran;
  };
  /** Return the installed skills, sorted by name; only the listed ones for an agent with a skill list. */
  "GET /api/skills": {
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: Skills;
  };
  /** Return the skills in this machine's catalogues, the most popular first. */
  "GET /api/skills/browse": {
    answer: OfferedSkills;
  };
  /**
   * Install a skill from a catalogue, or from `source`: a local path or `owner/repo[@skill]`.
   *
   * Replaces one of the same name. May take a minute; on failure nothing is changed.
   */
  "POST /api/skills/install": {
    body: SkillInstallBody;
    answer: InstalledSkill;
  };
  /** Return installed and available skills that contain the words of `q`. */
  "GET /api/skills/search": {
    query?: {
      /** Words to search for */
      q?: string | undefined;
    };
    answer: FoundSkills;
  };
  /** Return a skill's metadata, and its whole file as `content`. */
  "GET /api/skills/{name}": {
    path: { name: string; };
    answer: WholeSkill;
  };
  /** Remove a skill. */
  "DELETE /api/skills/{name}": {
    path: { name: string; };
    answer: RemovedSkill;
  };
  /** Return every task, newest first, with the result of its last run. */
  "GET /api/tasks": {
    answer: TaskPage;
  };
  /** Schedule a prompt for a harness with a cron expression. */
  "POST /api/tasks": {
    body: TaskBody;
    answer: AddedTask;
  };
  /** Return a task and its newest runs. */
  "GET /api/tasks/{task_id}": {
    path: { task_id: string; };
    answer: WholeTask;
  };
  /** Change fields of a task; "" clears a folder, a skill or a time zone. */
  "PATCH /api/tasks/{task_id}": {
    path: { task_id: string; };
    body: TaskBody;
    answer: Done;
  };
  /** Delete a task with its runs, stopping a running one. */
  "DELETE /api/tasks/{task_id}": {
    path: { task_id: string; };
    answer: Done;
  };
  /** Run a task now, even if disabled. */
  "POST /api/tasks/{task_id}/run": {
    path: { task_id: string; };
    answer: StartedRun;
  };
  /** Return a page of runs, newest first. */
  "GET /api/tasks/{task_id}/runs": {
    path: { task_id: string; };
    query?: {
      /** Maximum number of rows */
      limit?: number | undefined;
      /** Number of rows to skip */
      offset?: number | undefined;
    };
    answer: RunPage;
  };
  /** Return every supported harness with its file and last call. */
  "GET /api/harnesses": {
    answer: Harnesses;
  };
  /** Repair harness connections and rewrite generated files; `output` lists results and failures. */
  "POST /api/harnesses/regenerate": {
    answer: Regenerated;
  };
  /** Return the effective settings. */
  "GET /api/git/config": {
    answer: GitSettings;
  };
  /** Change settings in agent.yaml. */
  "POST /api/git/config": {
    body: GitConfigBody;
    answer: ChangedGitSettings;
  };
  /** Pull from the remote; `success` and `message` describe the result. */
  "POST /api/git/pull": {
    answer: GitDone;
  };
  /** Push to the remote; `success` and `message` describe the result. */
  "POST /api/git/push": {
    answer: GitDone;
  };
  /** Return the repository's state, without network access. */
  "GET /api/git/status": {
    answer: GitStatus;
  };
  /** Pull, then push; `success` and `message` describe the result. */
  "POST /api/git/sync": {
    answer: GitDone;
  };
  /** Return whether a new version exists; queries the index only with `force`, or if allowed. */
  "GET /api/update/check": {
    query?: {
      /** Query the package index now */
      force?: boolean | undefined;
    };
    answer: UpdateCheck;
  };
  /** Return the update settings and the last result. */
  "GET /api/update/config": {
    answer: UpdateSettings;
  };
  /** Change the update settings in agent.yaml. */
  "POST /api/update/config": {
    body: UpdateConfigBody;
    answer: ChangedUpdateSettings;
  };
  /** Install a version, by default the newest, with the original tool; the daemon uses it after a restart. */
  "POST /api/update/run": {
    body?: UpdateRunBody | null;
    answer: Installed;
  };
  /** Answer one JSON-RPC message, or a list of them; 202 if none needs an answer. */
  "POST /mcp": {
    body?: Record<string, unknown> | Record<string, unknown>[];
    answer: RpcReply | RpcReply[];
  };
  /** End a session; a no-op. */
  "DELETE /mcp": {
    answer: Done;
  };
  /** Return that the API answers; `db` is false if the database does not, `status` degraded if processing is stuck. */
  "GET /health": {
    answer: Health;
  };
  /** Return the boolean flags of the `features` section. */
  "GET /api/features": {
    answer: Record<string, boolean>;
  };
  /** Return all that `signet status` shows, in one answer. */
  "GET /api/overview": {
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: FullStatus;
  };
  /** Return version, processes, queue, providers and effective settings; `parts` selects some, which is faster. */
  "GET /api/status": {
    query?: {
      /** Names of the fields to return, separated by commas. Default: all */
      parts?: string[] | undefined;
    };
    answer: Status;
  };
  /** Return memory and processor time of each process, and disk use of each part of the workspace. */
  "GET /api/status/resources": {
    answer: Resources;
  };
  /** Return that this process is not stuck, without any check. */
  "GET /health/live": {
    answer: Live;
  };
  /**
   * Return whether database, schema, worker and scheduler are ready (200), else what is missing (503).
   *
   * `code` is set if nothing can be stored or the database is damaged. After a start, the embedding model must be
   * loaded too.
   */
  "GET /health/ready": {
    query?: {
      /** Also return the parts that are ready */
      verbose?: string | null | undefined;
    };
    answer: Ready;
  };
  /** Return that this process is not stuck, without any check. */
  "GET /livez": {
    answer: Live;
  };
  /**
   * Return whether database, schema, worker and scheduler are ready (200), else what is missing (503).
   *
   * `code` is set if nothing can be stored or the database is damaged. After a start, the embedding model must be
   * loaded too.
   */
  "GET /readyz": {
    query?: {
      /** Also return the parts that are ready */
      verbose?: string | null | undefined;
    };
    answer: Ready;
  };
  /**
   * Return jobs, latest change first.
   *
   * `status` (comma-separated), `kind`, `code` (of the last error), `memory_id` and `document_id` filter them,
   * `since` and `until` bound the latest change. `cursor` is `next` of the previous page; `facets` adds totals and
   * counts.
   */
  "GET /api/jobs": {
    query?: {
      /** `pending`, `leased`, `completed` or `dead`; several separated by commas */
      status?: string | null | undefined;
      /** Only jobs of this kind, such as `extract` */
      kind?: string | null | undefined;
      /** Only jobs whose last error has this code */
      code?: string | null | undefined;
      /** ID of a memory */
      memoryId?: string | null | undefined;
      /** ID of a document */
      documentId?: string | null | undefined;
      /** Maximum number of rows */
      limit?: number | undefined;
      /** `next` of the previous page */
      cursor?: string | null | undefined;
      /** Also return counts by these fields, separated by commas */
      facets?: boolean | undefined;
      /** Earliest time of the last change */
      since?: string | null | undefined;
      /** Latest time of the last change */
      until?: string | null | undefined;
    };
    answer: Jobs;
  };
  /** Cancel open jobs, oldest first: all of `ids`, else `limit` (50 by default, at most 500). */
  "POST /api/jobs/cancel": {
    body: JobsBody;
    answer: ChangedJobs;
  };
  /** Restart dead jobs, oldest first: all of `ids`, else `limit` (50 by default, at most 500). */
  "POST /api/jobs/retry": {
    body: JobsBody;
    answer: ChangedJobs;
  };
  /** Return one job with all fields and its last errors. */
  "GET /api/jobs/{job_id}": {
    path: { job_id: string; };
    answer: WholeJob;
  };
  /** Delete an ended job; 409 for an open one. */
  "DELETE /api/jobs/{job_id}": {
    path: { job_id: string; };
    answer: DeletedJob;
  };
  /** Cancel a job: a waiting one at once, a running one at its next check (`cancelRequested`). */
  "POST /api/jobs/{job_id}/cancel": {
    path: { job_id: string; };
    answer: ChangedJob;
  };
  /** Restart a dead job, or run a waiting one now. */
  "POST /api/jobs/{job_id}/retry": {
    path: { job_id: string; };
    answer: ChangedJob;
  };
  /** Return one job. */
  "GET /api/memory/jobs/{job_id}": {
    path: { job_id: string; };
    answer: Job;
  };
  /** Return running, waiting and dead jobs; works while worker and scheduler are down. */
  "GET /api/pipeline/status": {
    query?: {
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
    };
    answer: PipelineStatus;
  };
  /** Return the available models of all providers or one, and the list's age; `deprecated` includes replaced ones. */
  "GET /api/pipeline/models": {
    query?: {
      /** Only models of this provider */
      provider?: string | null | undefined;
      /** Also return replaced models */
      deprecated?: boolean | undefined;
    };
    answer: Models;
  };
  /** Return the models of each provider, including replaced ones. */
  "GET /api/pipeline/models/by-provider": {
    answer: Record<string, OfferedModel[]>;
  };
  /** Fetch the models of the configured Ollama server, at most once a minute; contacts no other provider. */
  "POST /api/pipeline/models/refresh": {
    answer: RefreshedModels;
  };
  /**
   * Retry waiting jobs and providers now, and run maintenance; return the workers that were woken.
   *
   * The list is empty while the worker is down or paused; it then starts with this.
   */
  "POST /api/pipeline/nudge": {
    answer: Nudged;
  };
  /** Start no jobs until resumed, in one queue or all; running ones finish, and the pause survives restarts. */
  "POST /api/pipeline/pause": {
    body?: QueueBody | null;
    answer: Paused;
  };
  /** Start jobs again, in all queues or one. */
  "POST /api/pipeline/resume": {
    body?: QueueBody | null;
    answer: Paused;
  };
  /** Return every domain's score, and the weighted total with reasons and commands. */
  "GET /api/diagnostics": {
    answer: Diagnoses;
  };
  /** Return one domain, or `composite`. */
  "GET /api/diagnostics/{domain}": {
    path: { domain: string; };
    answer: Diagnosis;
  };
  /** Check machine, workspace, database and models, as `signet doctor` does; may wait for a model. */
  "GET /api/doctor": {
    answer: CheckResults;
  };
  /** Return every repair with its options, whether it is recommended, and when it may run. */
  "GET /api/repair": {
    answer: Repairs;
  };
  /** Queue hints for memories that have none. With `dryRun`, only report the planned changes. */
  "POST /api/repair/backfill-hints": {
    body?: Record<string, unknown>;
    answer: Repaired;
  };
  /** Summarise sessions that have no summary. With `dryRun`, only report the planned changes. */
  "POST /api/repair/backfill-skipped": {
    body?: Record<string, unknown>;
    answer: Repaired;
  };
  /** Check the full-text indexes; rebuild those that differ from their tables. With `dryRun`, only report the planned changes. */
  "POST /api/repair/check-fts": {
    body?: Record<string, unknown>;
    answer: Repaired;
  };
  /** Delete vectors whose memory is gone or forgotten. With `dryRun`, only report the planned changes. */
  "POST /api/repair/clean-orphans": {
    body?: Record<string, unknown>;
    answer: Repaired;
  };
  /** Recompute the communities of an agent's entities. With `dryRun`, only report the planned changes. */
  "POST /api/repair/cluster-entities": {
    body?: Record<string, unknown>;
    answer: Repaired;
  };
  /** Return the content of the archive. */
  "GET /api/repair/cold-stats": {
    answer: ColdStats;
  };
  /** Return unused memories with low confidence, the lowest first. */
  "GET /api/repair/dead-memories": {
    query?: {
      /** Maximum number of rows */
      limit?: number | undefined;
      /** Only memories unused for this many days */
      unusedDays?: number | undefined;
      /** Only memories with at most this confidence */
      maxConfidence?: number | undefined;
    };
    answer: DeadMemories;
  };
  /** Forget memories with low confidence that are not used. With `dryRun`, only report the planned changes. */
  "POST /api/repair/dead-memories/forget": {
    body?: Record<string, unknown>;
    answer: Repaired;
  };
  /** Return the number of duplicate memories. */
  "GET /api/repair/dedup-stats": {
    answer: DedupStats;
  };
  /** Merge duplicate memories. With `dryRun`, only report the planned changes. */
  "POST /api/repair/deduplicate": {
    body?: Record<string, unknown>;
    answer: Repaired;
  };
  /** Return how many memories lack a vector of the current model. */
  "GET /api/repair/embedding-gaps": {
    answer: EmbeddingGaps;
  };
  /** Forget facts that were read from forgotten memories alone. With `dryRun`, only report the planned changes. */
  "POST /api/repair/follow-forgotten": {
    body?: Record<string, unknown>;
    answer: Repaired;
  };
  /** Check the database file for at most 30 seconds, and test both indexes. */
  "GET /api/repair/integrity-check": {
    answer: Integrity;
  };
  /** Delete entities that only link the chunks of long texts. With `dryRun`, only report the planned changes. */
  "POST /api/repair/prune-chunk-groups": {
    body?: Record<string, unknown>;
    answer: Repaired;
  };
  /** Delete entities that are no names: headings, labels, first words of sentences. With `dryRun`, only report the planned changes. */
  "POST /api/repair/prune-generic-entities": {
    body?: Record<string, unknown>;
    answer: Repaired;
  };
  /** Archive ended jobs to a file, then delete them. With `dryRun`, only report the planned changes. */
  "POST /api/repair/prune-jobs": {
    body?: Record<string, unknown>;
    answer: Repaired;
  };
  /** Delete entities of unknown type with few mentions. With `dryRun`, only report the planned changes. */
  "POST /api/repair/prune-singleton-entities": {
    body?: Record<string, unknown>;
    answer: Repaired;
  };
  /** Create missing vectors, oldest memories first. With `dryRun`, only report the planned changes. */
  "POST /api/repair/re-embed": {
    body?: Record<string, unknown>;
    answer: Repaired;
  };
  /** Check and repair the full-text indexes, then the vector index. With `dryRun`, only report the planned changes. */
  "POST /api/repair/rebuild-indexes": {
    body?: Record<string, unknown>;
    answer: Repaired;
  };
  /** Ask the model for the type of entities of unknown type. With `dryRun`, only report the planned changes. */
  "POST /api/repair/reclassify-entities": {
    body?: Record<string, unknown>;
    answer: Repaired;
  };
  /** Release jobs whose process died or hangs. With `dryRun`, only report the planned changes. */
  "POST /api/repair/release-leases": {
    body?: Record<string, unknown>;
    answer: Repaired;
  };
  /** Link memories without entities to the entities they mention. With `dryRun`, only report the planned changes. */
  "POST /api/repair/relink-entities": {
    body?: Record<string, unknown>;
    answer: Repaired;
  };
  /** Retry dead jobs, oldest first. With `dryRun`, only report the planned changes. */
  "POST /api/repair/requeue-dead": {
    body?: Record<string, unknown>;
    answer: Repaired;
  };
  /** Synchronise the vector index with the stored vectors. With `dryRun`, only report the planned changes. */
  "POST /api/repair/resync-vec": {
    body?: Record<string, unknown>;
    answer: Repaired;
  };
  /** Run the retention sweep now: purge old forgotten and ended rows. With `dryRun`, only report the planned changes. */
  "POST /api/repair/retention-sweep": {
    body?: Record<string, unknown>;
    answer: Repaired;
  };
  /** Queue facts without an aspect for classification. With `dryRun`, only report the planned changes. */
  "POST /api/repair/structural-backfill": {
    body?: Record<string, unknown>;
    answer: Repaired;
  };
  /** Return how well recall served past sessions, newest first, with average and trend. */
  "GET /api/analytics/continuity": {
    query?: {
      /** Maximum number of rows */
      limit?: number | undefined;
      /** Only rows of this project: its folder, or its name if it is unique */
      project?: string | null | undefined;
    };
    answer: SessionScores;
  };
  /** Return the newest score of each project. */
  "GET /api/analytics/continuity/latest": {
    answer: ProjectScores;
  };
  /** Return the newest errors, oldest first, and counts by code; `stage` and `since` filter. */
  "GET /api/analytics/errors": {
    query?: {
      /** Only errors of this stage, such as `embed` */
      stage?: string | null | undefined;
      /** Maximum number of rows */
      limit?: number | undefined;
      /** Earliest time: ISO 8601, or YYYY-MM-DD */
      since?: string | null | undefined;
    };
    answer: Errors;
  };
  /** Return latency percentiles of each operation since the daemon started, in milliseconds. */
  "GET /api/analytics/latency": {
    answer: Record<string, Record<string, number>>;
  };
  /** Return the diagnostics of memory changes, and their errors. */
  "GET /api/analytics/memory-safety": {
    answer: MemorySafety;
  };
  /** Return counts for each of the last ten minutes, hours or days of a time zone. */
  "GET /api/analytics/series": {
    query?: {
      /** Names of series, separated by commas. Default: all */
      metrics?: string[] | undefined;
      /** Length of one interval */
      step?: "10min" | "hour" | "day" | undefined;
      /** Number of intervals; 0 means the default of the step */
      count?: number | undefined;
      /** IANA time zone, such as `Europe/Vienna`; bounds of days. Default: the daemon's */
      tz?: string | undefined;
    };
    answer: Series;
  };
  /** Return counts by route, caller, provider and connector. */
  "GET /api/analytics/usage": {
    answer: Usage;
  };
  /**
   * Return history, jobs, log lines and errors of a memory, session or request, oldest first; empty for an unknown
   * ID.
   */
  "GET /api/timeline/{entity_id}": {
    path: { entity_id: string; };
    query?: {
      /** Maximum number of rows */
      limit?: number | undefined;
    };
    answer: Timeline;
  };
  /** Return the timeline in an envelope that names its origin. */
  "GET /api/timeline/{entity_id}/export": {
    path: { entity_id: string; };
    query?: {
      /** Maximum number of rows */
      limit?: number | undefined;
    };
    answer: ExportedTimeline;
  };
  /** Return events, newest first; they never leave the machine. */
  "GET /api/telemetry/events": {
    query?: {
      /** Only entries of this kind */
      event?: string | null | undefined;
      /** Maximum number of rows */
      limit?: number | undefined;
      /** Earliest time: ISO 8601, or YYYY-MM-DD */
      since?: string | null | undefined;
      /** Latest time: ISO 8601, or YYYY-MM-DD */
      until?: string | null | undefined;
    };
    answer: TelemetryPage;
  };
  /** Return totals since an instant: language model calls, and errors by stage and code. */
  "GET /api/telemetry/stats": {
    query?: {
      /** Earliest time: ISO 8601, or YYYY-MM-DD */
      since?: string | null | undefined;
    };
    answer: TelemetryStats;
  };
  /** Return the newest lines in time order; `level` (minimum), `category` and `since` filter them. */
  "GET /api/analytics/logs": {
    query?: {
      /** Lowest level: debug, info, warn or error */
      level?: string | null | undefined;
      /** Only lines of this category, such as `pipeline` */
      category?: string | null | undefined;
      /** Maximum number of rows */
      limit?: number | undefined;
      /** Earliest time: ISO 8601, or YYYY-MM-DD */
      since?: string | null | undefined;
    };
    answer: LogLines;
  };
  /** Return the newest lines in time order; `level` (minimum), `category` and `since` filter them. */
  "GET /api/logs": {
    query?: {
      /** Lowest level: debug, info, warn or error */
      level?: string | null | undefined;
      /** Only lines of this category, such as `pipeline` */
      category?: string | null | undefined;
      /** Maximum number of rows */
      limit?: number | undefined;
      /** Earliest time: ISO 8601, or YYYY-MM-DD */
      since?: string | null | undefined;
    };
    answer: LogLines;
  };
  /**
   * Return this version's changelog as Markdown and HTML.
   *
   * `html=false` omits the HTML, which is slow to make.
   */
  "GET /api/changelog": {
    query?: {
      /** Also return HTML, which is slow to make */
      html?: boolean | undefined;
    };
    answer: ProductPage;
  };
  /**
   * Return pending reviews, and what was decided and changed since an instant, by default today in a time zone.
   *
   * `project` limits what changed.
   */
  "GET /api/home": {
    query?: {
      /** IANA time zone, such as `Europe/Vienna`; bounds of days. Default: the daemon's */
      tz?: string | null | undefined;
      /** Limits what has changed to this project */
      project?: string | null | undefined;
      /** Name of an agent, whose memories are read or changed. Default: the caller's own */
      agentId?: string | null | undefined;
      /** Start of what has changed. Default: today */
      since?: string | null | undefined;
    };
    answer: Home;
  };
  /** Return the greeting of this hour, in the daemon's time zone. */
  "GET /api/home/greeting": {
    answer: Greeting;
  };
  /** Return the README as Markdown and HTML. */
  "GET /api/readme": {
    query?: {
      /** Also return HTML, which is slow to make */
      html?: boolean | undefined;
    };
    answer: ProductPage;
  };
  /** Return the roadmap, or a sentence if this version has none. */
  "GET /api/roadmap": {
    query?: {
      /** Also return HTML, which is slow to make */
      html?: boolean | undefined;
    };
    answer: ProductPage;
  };
}

/** A memory's owner and visibility, and the access of every registered agent. */
export interface Access {
  memoryId: string;
  owner: string;
  visibility: string;
  project: string | null;
  scope: string | null;
  agents: AgentAccess[];
}

export interface AddedConnector {
  id: string;
}

/** An added document; a known one is `deduplicated` and has no new job. */
export interface AddedDocument {
  /** ID of the document */
  id: string;
  /** Progress: `queued`, `extracting`, `chunking`, `embedding`, `indexing`, `done` or `failed` */
  status: string;
  /** ID of the job that processes it */
  jobId?: string;
  /** True: the same document existed already */
  deduplicated?: boolean;
  /** Kinds of the secrets that were masked */
  masked?: string[];
}

export interface AddedTask {
  id: string;
  nextRunAt: string | null;
}

/**
 * A reason, its deduction, and the command that helps, if there is one.
 *
 * `passes`: it ends without anybody's help; the command then only shows it.
 */
export interface Advice {
  domain: string;
  reason: string;
  command: string | null;
  points: number;
  passes: boolean;
}

export interface AffectedEntity {
  id: string;
  name: string;
  type: string;
}

/**
 * Whether an agent may read a memory, and the deciding rule.
 *
 * `rule`: own, shared (global, and the agent's policy is shared), group (global, from the agent's group), private
 * (another agent's), isolated (the agent reads only its own), other_group, archived (unreadable), space (read by
 * the keys of its space).
 */
export interface AgentAccess {
  id: string;
  name: string;
  reads: boolean;
  rule: string;
  says: string;
}

/** A new agent; without a policy it is isolated. */
export interface AgentBody {
  /** Name of the agent. Required */
  name?: string | undefined;
  /** `isolated`, `shared` or `group` */
  readPolicy?: string | null | undefined;
  /** Name of the group, for `group` */
  policyGroup?: string | null | undefined;
}

export interface AgentIdentity {
  name: string;
  creature: string;
  vibe: string;
}

export interface Agents {
  agents: CountedAgent[];
}

/** The text that a session would receive for the question as its prompt, and its estimated tokens. */
export interface AsPrompt {
  /** The text */
  text: string;
  /** Length in characters */
  chars: number;
  /** Estimated tokens: four characters each */
  tokens: number;
}

export interface Aspect {
  id: string;
  entityId: string;
  agentId: string;
  name: string;
  canonicalName: string;
  weight: number;
  createdAt: string;
  updatedAt: string;
}

/** An entity's attributes under one aspect: one `content`, or several `attributes`. */
export interface AspectBody {
  /** Name of the entity */
  entity: string;
  /** The aspect, such as `tools` */
  aspect: string;
  /** Facts, as texts or objects */
  attributes: (string | AttributeBody)[];
}

export interface Aspects {
  items: CountedAspect[];
}

export interface Attribute {
  id: string;
  aspectId: string;
  agentId: string;
  memoryId: string | null;
  kind: string;
  content: string;
  normalizedContent: string;
  confidence: number;
  importance: number;
  status: string;
  supersededBy: string | null;
  createdAt: string;
  updatedAt: string;
}

/** One attribute; may be sent as text. */
export interface AttributeBody {
  /** The fact */
  content: string;
  /** `constraint` for what must be kept to */
  kind?: "attribute" | "constraint" | undefined;
  /** How certain it is */
  confidence?: number | null | undefined;
  /** How important it is */
  importance?: number | null | undefined;
}

export interface AttributePage {
  items: Attribute[];
  limit: number;
  offset: number;
}

/** The actions that are logged; the strings are stored. */
export type AuditAction = "read" | "propose" | "share" | "refuse" | "withdraw" | "export" | "forget" | "recover" | "erase";

/**
 * One action; `number` orders entries.
 *
 * `actor` is the subject of the token `key_id`, or owner, peer, page (without a token) or daemon; `agent` is whom the
 * token is limited to. `action` is an AuditAction;
 * `operation` is the request of a read. `memory_ids` lists at most 200, `count` is the number of all.
 */
export interface AuditEntry {
  number: number;
  at: string;
  actor: string;
  key_id: string | null;
  agent: string | null;
  action: string;
  operation: string | null;
  space: string | null;
  memory_ids: string[];
  count: number;
}

/** Entries, oldest first; `next` continues after them, null at the end and with `newest`. */
export interface AuditPage {
  entries: AuditEntry[];
  next: number | null;
}

/**
 * Progress of the last run.
 *
 * `known` sessions had no new content; `indexing` and `summarizing` ones are being processed. `seconds` is the
 * estimated rest. `finishing`: all are read; `stopped`: sessions wait without a reader.
 */
export interface Backfill {
  state: "none" | "running" | "finishing" | "stopped" | "done";
  startedAt: string | null;
  sessions: number;
  waiting: number;
  read: number;
  known: number;
  failed: number;
  indexing: number;
  summarizing: number;
  bytes: number;
  bytesRead: number;
  seconds: number;
  failures: BackfillFailure[];
}

/**
 * Sessions since an instant, of some harnesses and projects (a folder, or its last part); all by default.
 *
 * The built-in rules extract their facts, or with `byModel` the configured model.
 */
export interface BackfillBody {
  /** Only sessions after this time */
  since?: string | number | null | undefined;
  /** Only sessions of these harnesses */
  harnesses?: string[] | undefined;
  /** Only sessions of these projects: a folder, or its last part */
  projects?: string[] | undefined;
  /** Extract facts with the configured model instead of the built-in rules */
  byModel?: boolean | undefined;
  /** Only report what would change */
  dryRun?: boolean | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
}

export interface BackfillFailure {
  harness: string;
  path: string;
  reason: string;
}

/** The sessions of one harness: all requested ones, and the unread ones with their size. */
export interface BackfillHarness {
  harness: string;
  name: string;
  sessions: number;
  newSessions: number;
  bytes: number;
  oldest: string;
  newest: string;
}

export interface BackfillProject {
  project: string | null;
  sessions: number;
}

/** Whether to disable a session's hooks. */
export interface BypassBody {
  /** true disables the session's hooks, false enables them. Required */
  enabled?: unknown;
}

/** Whether the session's hooks are disabled. */
export interface Bypassed {
  key: string;
  bypassed: boolean;
}

export interface Candidate {
  /** Its ID */
  id: string;
  /** Relevance, 0–1 */
  score: number;
  /** Whether it never fades */
  pinned: boolean;
  /** Number of the version; each change adds 1 */
  version: number;
  /** The text */
  content: string;
  /** Type, such as `decision` */
  type: string;
  /** Name of the author */
  who: string | null;
  /** Tags, separated by commas */
  tags: string | null;
  /** Time of saving */
  created_at: string;
  /** Why it was selected */
  why: string;
}

/** Captures per harness; `truncatedSessions` counts sessions with shortened or left-out messages. */
export interface Capture {
  harnesses: HarnessCapture[];
  unknownRecords: UnknownRecords[];
  truncatedSessions: number;
}

export interface CatalogSkill {
  name: string;
  fullName: string;
  description: string;
  installs: string;
  stars: number;
  popularity: number;
  category: string;
  verified: boolean;
  installed: boolean;
}

/** The file after a change of settings, and the settings that need a restart. */
export interface ChangedConfig {
  /** Whether it was done */
  success: boolean;
  /** The changed file */
  file: string;
  /** SHA-256 of the file */
  hash: string;
  /** Settings that apply after a restart */
  restartRequired: string[];
}

export interface ChangedGitSettings {
  success: boolean;
  config: GitSettings;
}

export interface ChangedJob {
  success: boolean;
  id: string;
  status: string;
  cancelRequested?: boolean;
}

/** Jobs that were, or would be, retried or cancelled; `more` if the limit omitted some. */
export interface ChangedJobs {
  success: boolean;
  affected: number;
  ids: string[];
  more: boolean;
  dryRun: boolean;
}

export interface ChangedUpdateSettings {
  autoInstall: boolean;
  autoCheck: boolean;
  checkInterval: number;
  channel: string;
  minInterval: number;
  maxInterval: number;
  pendingRestartVersion: string | null;
  lastAutoUpdateAt: string | null;
  lastAutoUpdateError: string | null;
  updateInProgress: boolean;
  success: boolean;
  config: UpdateSettings;
  persisted: boolean;
}

/**
 * A result's score in one channel, and its rank if the channel found it.
 *
 * `says` describes the channel. The keyword channel also lists the question's words in the result with their bm25,
 * their number, and their total bm25.
 */
export interface Channel {
  score: number;
  says: string;
  rank?: number;
  bm25?: number;
  words?: number;
  matched?: Record<string, number>;
}

export interface Check {
  name: string;
  status: string;
  message: string;
  detail?: unknown;
  fix?: string;
}

/** One check: `status` is ok, warn or fail; `fix` is a command, `mend` what `signet doctor --fix` repairs. */
export interface CheckResult {
  check: string;
  status: string;
  detail: string;
  fix: string | null;
  mend: string | null;
}

export interface CheckResults {
  checks: CheckResult[];
}

export interface Checkpoints {
  checkpoints: SessionCheckpoint[];
  count: number;
}

export interface Chunks {
  chunks: DocumentChunk[];
  count: number;
}

/** The code of a one-time link (`signet dashboard`). */
export interface CodeBody {
  /** The code of a one-time link */
  code: string;
}

/** The content of the archive; without one `message` explains this. */
export interface ColdStats {
  count: number;
  message?: string;
  oldest?: string | null;
  newest?: string | null;
  totalBytes?: number;
  byReason?: Record<string, number>;
}

export interface ColumnValues {
  values: string[];
}

/** The latest communities, the largest first, and the modularity of the division. */
export interface Communities {
  items: EntityCommunity[];
  count: number;
  modularity: number;
  quality: string;
}

export interface Compacted {
  /** Whether it was done */
  success: boolean;
  /** ID of the memory with the summary */
  memoryId?: string;
  /** True: this session is bypassed, so nothing was stored or injected */
  bypassed?: boolean;
}

/** A harness has compacted its context to `summary`, which is required. */
export interface CompactionBody {
  /** Short name of the calling program, such as `myagent`. Required */
  harness?: string | undefined;
  /** Key of the session: the same in all its calls, and unique among all sessions of all harnesses (a UUID) */
  sessionKey?: string | null | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
  /** Folder of the project */
  project?: string | null | undefined;
  /** `plugin` or `legacy`: whether a plugin or a hook command calls. The first to call owns the session; the other gets 409 */
  runtimePath?: string | null | undefined;
  /** What the session's own machine knows about its folder, for a daemon on another machine */
  repository?: RepositoryBody | null | undefined;
  /** The summary. Required */
  summary?: string | undefined;
  /** Any text; a second save with the same key changes nothing */
  idempotencyKey?: string | null | undefined;
}

/** One session, ranked with and without learning; lists contain memory IDs, best first. */
export interface ComparedSession {
  id: string;
  sessionKey: string;
  agentId: string;
  predictorNdcg: number;
  baselineNdcg: number;
  predictorWon: boolean;
  margin: number;
  alpha: number;
  emaUpdated: boolean;
  focalEntityId: string | null;
  focalEntityName: string | null;
  project: string | null;
  candidateCount: number;
  traversalCount: number;
  constraintCount: number;
  scorerConfidence: number;
  successRate: number | null;
  predictorTopIds: string[];
  baselineTopIds: string[];
  relevanceScores: Record<string, number>;
  ftsOverlapScore: number | null;
  createdAt: string;
}

export interface ComparisonPage {
  total: number;
  limit: number;
  offset: number;
  items: ComparedSession[];
}

/** A file's name and its new content. */
export interface ConfigBody {
  /** Name of a file at the top of the workspace, such as `USER.md`. Required */
  file?: unknown;
  /** Its new content. Required */
  content?: unknown;
  /** Refuse the change (409) if the file has another SHA-256 */
  ifHash?: string | null | undefined;
}

/** A user file of the workspace; `hash` is its SHA-256. */
export interface ConfigFile {
  name: string;
  content: string;
  size: number;
  hash: string;
}

/** The files at the top of the workspace; `error` if it is unreadable. */
export interface ConfigFiles {
  files: ConfigFile[];
  error?: string;
}

/** Every setting; `hash` is the file's, empty without a file. */
export interface ConfigSchema {
  settings: Setting[];
  count: number;
  file: string;
  hash: string;
}

/** The request that the user has confirmed: method, path with query, and body as text. */
export interface ConfirmBody {
  /** Method of the confirmed request */
  method: string;
  /** Its path with query */
  path: string;
  /** Its body, as text */
  body?: string | null | undefined;
}

/** A code that lets the dashboard send one confirmed request. */
export interface Confirmation {
  code: string;
  expiresAt: string;
}

/** A folder or service whose texts become documents. */
export interface Connector {
  id: string;
  provider: string;
  display_name: string | null;
  config_json: string;
  cursor_json: string | null;
  status: string;
  last_sync_at: string | null;
  last_error: string | null;
  created_at: string;
  updated_at: string;
  agent_id: string;
  progress_json: string | null;
  settings: Record<string, unknown>;
  cursor: Record<string, unknown> | null;
  progress: SyncProgress | null;
}

/** One connector to add; the provider defines its `settings`. `sync` starts the first sync at once. */
export interface ConnectorBody {
  /** Kind of connector: `filesystem`. Required */
  provider?: string | null | undefined;
  /** Name in lists */
  displayName?: string | null | undefined;
  /** Settings of the provider; `rootPath` is the folder. Required */
  settings?: Record<string, unknown> | null | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
  /** Start the first sync at once */
  sync?: boolean | undefined;
}

/** A connector's state; `documents` counts its documents by status. */
export interface ConnectorHealth {
  id: string;
  status: string;
  lastSyncAt: string | null;
  lastError: string | null;
  documentCount: number;
  documents: Record<string, number>;
  progress: SyncProgress | null;
}

export interface Connectors {
  connectors: Connector[];
  count: number;
}

export interface Constellation {
  dependencies: DrawnEdge[];
  entities: DrawnEntity[];
}

export interface Constraint {
  entityName: string;
  content: string;
  importance: number;
}

export interface ContextAnswer {
  /** The text for the prompt */
  context: string;
  /** What it contains */
  sources: ContextSource[];
  /** Number of sources */
  count: number;
}

/** A prompt, or the `id` of a source in a context and its `page`. */
export interface ContextBody {
  /** The prompt to find context for; required without `id` */
  prompt?: string | undefined;
  /** A source of an earlier context, such as `session:abc`: return its text instead */
  id?: string | null | undefined;
  /** Page of the source `id` */
  page?: number | undefined;
  /** Maximum length of the context */
  maxChars?: number | undefined;
  /** Maximum number of single memories */
  limit?: number | undefined;
  /** Minimum relevance, 0 to 1. Default: the setting `hooks.userPromptSubmit.minScore` */
  minScore?: number | null | undefined;
  /** Folder of the project; memories of other projects are left out */
  project?: string | null | undefined;
  /** Name of a separate part of the store; memories with a scope are found only with it */
  scope?: string | null | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
  /** Key of the session that this call belongs to */
  sessionKey?: string | null | undefined;
}

/**
 * One injection.
 *
 * `phase`: start, prompt, compaction or recall; `prompt` is the number of the prompt, from 1, or 0 before the first.
 * `message` is the start of the prompt if the transcript has it, `turn` the number of the message, from 0, before
 * which it was injected. `bestScore` is the nearest memory's, `floor` the required score.
 */
export interface ContextInjection {
  /** `start`, `prompt`, `compaction` or `recall` */
  phase: string;
  /** Number of the prompt, from 1; 0 before the first */
  prompt: number;
  /** Time */
  at: string;
  /** Number of the message before which it was injected, from 0 */
  turn: number | null;
  /** Start of the prompt */
  message: string | null;
  /** Length in characters */
  chars: number;
  /** Estimated tokens: four characters each */
  tokens: number;
  /** Relevance of the nearest memory */
  bestScore: number | null;
  /** Relevance that was required */
  floor: number | null;
  /** Injected texts */
  given: ContextItem[];
  /** Candidates that were not injected */
  leftOut: ContextItem[];
}

/**
 * An injected or omitted item.
 *
 * `kind`: memory, session, commit, document or section. `reason`: why it was injected (match, same_matter,
 * important, pinned, linked, project_words, standing, rule) or omitted (floor, budget, said, origin). `tokens`:
 * estimated, four characters each. `use` is null if unknown: sections, and episodes without text. `state`: kept,
 * changed (since), forgotten (since), gone, or none without a text; `text` exists in the first two.
 */
export interface ContextItem {
  kind: string;
  id: string;
  reason: string;
  says: string;
  project: string | null;
  score: number | null;
  saidAt: string | null;
  chars: number;
  tokens: number;
  use: "used" | "not used" | "not known yet" | null;
  usedBy: "named" | "quoted" | "values" | "words" | null;
  usedIn: UsedIn | null;
  state: "kept" | "changed" | "forgotten" | "gone" | "none";
  text: string | null;
  sourceType: string | null;
  sourceId: string | null;
}

/**
 * A source in a context: a rule, a memory, or a passage of a session, commit, memory or document.
 *
 * The `id` of a passage is one for `episode`.
 */
export interface ContextSource {
  /** Its ID; a request with this `id` returns the whole source */
  id: string;
  /** `rule`, `memory`, `session`, `commit` or `document` */
  type: string;
  /** The text */
  content: string;
  /** Its time */
  date?: string;
  /** Folder of its project; null for every project */
  project?: string | null;
}

/** Totals of a session; `given` and `leftOut` count items without sections. */
export interface ContextTotals {
  /** Number of prompts */
  prompts: number;
  /** Number of injected texts */
  given: number;
  /** Number of texts that the agent used */
  used: number;
  /** Number of texts that it did not use */
  notUsed: number;
  /** Number of texts whose use is not known */
  unknown: number;
  /** Number of candidates that were not injected */
  leftOut: number;
  /** Length in characters */
  chars: number;
  /** Estimated tokens: four characters each */
  tokens: number;
}

export interface CountedAgent {
  id: string;
  name: string;
  read_policy: string;
  reads: string;
  policy_group: string | null;
  created_at: string;
  updated_at: string;
  memories: number;
}

export interface CountedAspect {
  aspect: Aspect;
  attributeCount: number;
  constraintCount: number;
}

export interface CountedEntity {
  aspectCount: number;
  attributeCount: number;
  constraintCount: number;
  dependencyCount: number;
  entity: StoredEntity;
}

export interface DeadMemories {
  items: DeadMemory[];
  total: number;
}

export interface DeadMemory {
  id: string;
  content: string;
  confidence: number;
  importance: number;
  lastAccessed: string | null;
  accessCount: number;
}

/** The decision about a proposed memory. */
export interface DecideBody {
  /** true approves, false refuses */
  approve: boolean;
}

/** The owner of a reviewed memory. */
export interface DecisionBody {
  /** Owner of the memory. Default: the caller's own agent */
  agentId?: string | null | undefined;
}

export interface DedupStats {
  exactClusters: number;
  exactExcess: number;
  totalActive: number;
}

export interface DeletedJob {
  success: boolean;
  id: string;
}

export interface Dependencies {
  items: EntityDependency[];
}

export interface DependencyTarget {
  target: string;
  type: string;
  strength: number;
}

export interface DescribedEntity {
  id: string;
  name: string;
  type: string;
  description: string | null;
}

/** The health of all domains; `composite` is the total. */
export interface Diagnoses {
  timestamp: string;
  composite: Diagnosis;
  queue: Diagnosis;
  storage: Diagnosis;
  index: Diagnosis;
  provider: Diagnosis;
  mutation: Diagnosis;
  connector: Diagnosis;
  duplicate: Diagnosis;
  update: Diagnosis;
  predictor: Diagnosis;
}

/** The health of a domain, with reasons; further fields are the domain's figures. */
export interface Diagnosis {
  score: number;
  status: string;
  reasons: string[];
  help?: Advice[];
}

/** The difference between sessions with and without memory (below 0: fewer); null if unknown. */
export interface Difference {
  corrections: Interval | null;
  askedAgain: Interval | null;
  prompts: Interval | null;
}

/**
 * A decision, an open item, or a fact that changed, with the one `before` it.
 *
 * `id` is the key of its session, or the ID of a memory if `isMemory`. `openBy` is who calls an item open: `the user`
 * or `an agent`.
 */
export interface DigestItem {
  kind: "decided" | "changed" | "open";
  text: string;
  before: string;
  at: string;
  openBy: string;
  id: string;
  isMemory: boolean;
}

/** Disk use of a part of the workspace, in bytes. */
export interface DiskPart {
  part: string;
  bytes: number;
}

export interface Document {
  id: string;
  source_url: string | null;
  source_type: string;
  content_type: string | null;
  content_hash: string | null;
  title: string | null;
  raw_content: string | null;
  status: string;
  error: string | null;
  connector_id: string | null;
  chunk_count: number;
  memory_count: number;
  metadata_json: string | null;
  created_at: string;
  updated_at: string;
  completed_at: string | null;
  agent_id: string;
  source_stamp: string | null;
  metadata: Record<string, unknown> | null;
}

/** One document to add. */
export interface DocumentBody {
  /** `text`, `url` or `file`. Required */
  sourceType?: string | null | undefined;
  /** The text, for `text` */
  content?: string | null | undefined;
  /** Address of a page, or path of a file */
  url?: string | null | undefined;
  /** Title. Default: from the text */
  title?: string | null | undefined;
  /** Media type, such as `text/markdown` */
  contentType?: string | null | undefined;
  /** Connector that it belongs to */
  connectorId?: string | null | undefined;
  /** Any object; returned with the document */
  metadata?: Record<string, unknown> | null | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
}

export interface DocumentChunk {
  id: string;
  content: string;
  type: string;
  created_at: string;
  chunk_index: number | null;
}

export interface DocumentPage {
  documents: Document[];
  total: number;
  limit: number;
  offset: number;
}

export interface Done {
  success: boolean;
}

export interface DrawnAspect {
  id: string;
  name: string;
  weight: number;
  attributes: DrawnAttribute[];
}

export interface DrawnAttribute {
  id: string;
  content: string;
  kind: string;
  importance: number;
  memoryId: string | null;
}

export interface DrawnEdge {
  sourceEntityId: string;
  targetEntityId: string;
  dependencyType: string;
  strength: number;
}

export interface DrawnEntity {
  id: string;
  name: string;
  entityType: string;
  mentions: number;
  pinned: boolean;
  aspects: DrawnAspect[];
}

/** Entities whose names differ only in punctuation and spaces; the most mentioned first. */
export interface DuplicateEntity {
  canonicalName: string;
  ids: string[];
}

/** A memory with its vector, which is included on request. */
export interface Embedding {
  id: string;
  content: string;
  who: string;
  importance: number;
  type: string | null;
  tags: string[];
  sourceType: string;
  sourceId: string;
  createdAt: string;
  text: string;
  vector?: number[];
}

/** How many memories lack a vector of the current model; `stale` have an outdated one. */
export interface EmbeddingGaps {
  unembedded: number;
  total: number;
  coverage: string;
  stale: number;
}

export interface EmbeddingNode {
  id: string;
  content: string;
  who: string;
  importance: number;
  type: string | null;
  tags: string[];
  sourceType: string;
  sourceId: string;
  createdAt: string;
  x: number;
  y: number;
  z?: number;
  pinned: boolean;
}

export interface EmbeddingPage {
  embeddings: Embedding[];
  count: number;
  total: number;
  limit: number;
  offset: number;
  hasMore: boolean;
}

/** The embedding provider, and the number of memories with a vector. */
export interface EmbeddingState {
  provider: string;
  model: string | null;
  available: boolean;
  total: number;
  embedded: number;
}

/** Health of the stored vectors; `score` is between 0 and 1. */
export interface EmbeddingsHealth {
  status: string;
  score: number;
  checkedAt: string;
  config: Record<string, unknown>;
  checks: Check[];
}

/** Whether vectors can be created, and the tracker's progress. */
export interface EmbeddingsStatus {
  provider: string;
  model: string | null;
  available: boolean;
  dimensions?: number | null;
  base_url?: string | null;
  error?: string;
  checkedAt: string;
  tracker: Record<string, unknown> | null;
  waitingUntil?: string;
}

export interface EndedSession {
  /** Whether a job processes the text */
  queued?: boolean;
  /** ID of the job that processes it */
  jobId?: string;
  /** Kinds of the secrets that were masked */
  masked?: string[];
  /** True: this session is bypassed, so nothing was stored or injected */
  bypassed?: boolean;
  /** True: Signet itself started the calling program, so nothing was stored or injected */
  internal?: boolean;
  /** Always 0: the job saves them later */
  memoriesSaved: number;
}

export interface EndedTurn {
  /** Whether a job processes the text */
  queued?: boolean;
  /** ID of the job that processes it */
  jobId?: string;
  /** Kinds of the secrets that were masked */
  masked?: string[];
  /** True: this session is bypassed, so nothing was stored or injected */
  bypassed?: boolean;
  /** True: Signet itself started the calling program, so nothing was stored or injected */
  internal?: boolean;
  /** True: stored, but too little new text for a job; a later turn or the end processes it */
  skipped?: boolean;
}

/** A named entity, alone or with a relation to another; a name may be sent as text. */
export interface EntityBody {
  /** Its name */
  name?: string | null | undefined;
  /** Its type, such as `person` */
  type?: string | null | undefined;
  /** Name of the entity that the relation starts from */
  source?: string | null | undefined;
  /** Type of `source` */
  sourceType?: string | null | undefined;
  /** The relation, such as `works at` */
  relationship?: string | null | undefined;
  /** Name of the entity that the relation leads to */
  target?: string | null | undefined;
  /** Type of `target` */
  targetType?: string | null | undefined;
  /** How certain it is */
  confidence?: number | null | undefined;
}

/** A group of entities, named after its most mentioned member. */
export interface EntityCommunity {
  id: string;
  name: string;
  cohesion: number;
  member_count: number;
  created_at: string;
  updated_at: string;
}

export interface EntityCounts {
  aspectCount: number;
  attributeCount: number;
  constraintCount: number;
  dependencyCount: number;
}

/** A dependency with the names of its ends; `direction` is relative to the requested entity. */
export interface EntityDependency {
  id: string;
  direction: string;
  dependencyType: string;
  strength: number;
  confidence: number | null;
  reason: string | null;
  aspectId: string | null;
  sourceEntityId: string;
  sourceEntityName: string;
  targetEntityId: string;
  targetEntityName: string;
  createdAt: string;
  updatedAt: string;
}

/** How often learned ranking beat the baseline in sessions about one entity. */
export interface EntityHealth {
  entityId: string;
  entityName: string;
  comparisonCount: number;
  winRate: number;
  avgMargin: number;
  trend: string;
}

export interface EntityPage {
  items: CountedEntity[];
  limit: number;
  offset: number;
  total: number;
}

export interface EntityResult {
  entityId: string;
  entityName: string | null;
  wins: number;
  losses: number;
  winRate: number;
  avgMargin: number;
}

export interface EntityResults {
  items: EntityResult[];
}

export interface EntitySession {
  id: string;
  sessionKey: string | null;
  harness: string | null;
  earliestAt: string;
  latestAt: string;
  content: string;
}

export interface EntitySessions {
  entityName: string;
  summaries: EntitySession[];
  total: number;
}

/** The skill fields of an entity; lists are JSON. */
export interface EntitySkill {
  version: string | null;
  author: string | null;
  license: string | null;
  source: string;
  role: string | null;
  triggers: string | null;
  tags: string | null;
  permissions: string | null;
  enriched: number;
  installedAt: string;
  lastUsedAt: string | null;
  useCount: number;
  importance: number;
  fsPath: string;
  uninstalledAt: string | null;
}

export interface EntityTask {
  taskType: string | null;
  priority: string | null;
  status: string;
  dueAt: string | null;
  context: string | null;
  expiresAt: string | null;
  retentionUntil: string | null;
  completedAt: string | null;
}

/** One page of a session, commit, memory or document; pages count from 1. */
export interface EpisodePage {
  /** ID of the source */
  id: string;
  /** Kind of source */
  type: string;
  /** The text of this page */
  text: string;
  /** Number of this page, from 1 */
  page: number;
  /** Number of pages */
  pages: number;
}

/** Why a request was refused: a text for people, and a code for programs. */
export interface ErrorBody {
  error: string;
  code: string;
}

/** The newest errors, oldest first, and counts by code. */
export interface Errors {
  errors: NotedError[];
  summary: Record<string, number>;
}

/**
 * Whether memory helps.
 *
 * `isEnough`: there are `neededSessions` sessions, `neededWithout` of them without memory. `holdout` is the share of
 * sessions without memories. `unused` was injected most and never used, `misleading` hurt, `missed` was left out but
 * used; `unanswered` counts prompts without results.
 */
export interface Evaluation {
  sessions: number;
  neededSessions: number;
  neededWithout: number;
  isEnough: boolean;
  holdout: number;
  withMemory: SomeSessions;
  withoutMemory: SomeSessions;
  difference: Difference;
  tokens: GivenTokens;
  unused: Told[];
  misleading: Told[];
  missed: Told[];
  helpful: Told[];
  prompts: number;
  unanswered: number;
}

export interface Excerpts {
  /** Excerpts, best first */
  results: TranscriptExcerpt[];
  /** Number of rows in this answer */
  count: number;
}

/** A command, and its variables with secret names. */
export interface ExecBody {
  /** The shell command. Required */
  command?: string | undefined;
  /** Names of variables with the names of the secrets that fill them */
  secrets?: Record<string, string> | undefined;
  /** Time limit in milliseconds */
  timeoutMs?: number | null | undefined;
}

/** The entity to expand, and the budget. */
export interface ExpandBody {
  /** Name of the entity. Required */
  entity?: string | undefined;
  /** Only this aspect */
  aspect?: string | null | undefined;
  /** Rank facts near this question first */
  question?: string | undefined;
  /** Budget of the answer, in tokens */
  maxTokens?: number | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
}

/** The entity whose sessions to list, and since when. */
export interface ExpandSessionBody {
  /** Name of the entity. Required */
  entityName?: string | undefined;
  /** Only this session */
  sessionId?: string | null | undefined;
  /** `last_week`, `last_month`, or an ISO 8601 time */
  timeRange?: string | null | undefined;
  /** Maximum number of sessions */
  maxResults?: number | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
}

export interface Expanded {
  entity: DescribedEntity;
  constraints: Constraint[];
  aspects: ExpandedAspect[];
  dependencies: DependencyTarget[];
  memoryCount: number;
  memories: LinkedMemory[];
}

export interface ExpandedAspect {
  name: string;
  weight: number;
  attributes: ExpandedAttribute[];
}

export interface ExpandedAttribute {
  content: string;
  kind: string;
  importance: number;
  confidence: number;
}

/**
 * Why a result has its rank.
 *
 * `neighbours` are IDs of neighbouring results from its source. `path` are the names of entity, linked entity and
 * aspect on the graph's path from the question. `helped` exists if a session has a label.
 */
export interface Explanation {
  relevance?: number;
  channels: Record<string, Channel>;
  stages: Stage[];
  neighbours?: string[];
  path?: string[];
  helped?: Helped;
}

/** A page of records, and the cursor of the next one; None after the last. */
export interface ExportPage {
  records: Record<string, unknown>[];
  next: string | null;
}

export interface ExportedTimeline {
  meta: TimelineMeta;
  timeline: Timeline;
}

/** Ratings of several memories (`sessionKey`, `feedback`), or of one (`session_id`, `memory_id`). */
export interface FeedbackBody {
  /** Key of the session that this call belongs to */
  sessionKey?: string | null | undefined;
  /** IDs of memories, each with a rating from -1 to 1 */
  feedback?: unknown;
  /** By memory ID: the aspects and dependencies through which it was found */
  paths?: Record<string, PathBody> | undefined;
  /** By memory ID: how it was used afterwards */
  rewards?: Record<string, RewardBody> | undefined;
  /** Session of the one rated memory */
  sessionId?: string | null | undefined;
  /** The one rated memory */
  memoryId?: string | null | undefined;
  /** `positive`, `negative` or `correction`, for one memory */
  feedbackType?: string | null | undefined;
  /** The correct statement, for `correction` */
  correctionText?: string | null | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
}

/** A derived memory, with the start of its text. */
export interface Followed {
  /** Its ID */
  id: string;
  /** The start of its text */
  content: string;
}

/**
 * A selection of memories by IDs, words and filters, combined with AND; `preview` writes nothing.
 *
 * `all` selects every match; `limit` is then the number that a preview shows.
 */
export interface ForgetBody {
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
  /** Key of the session that this call belongs to */
  sessionKey?: string | null | undefined;
  /** Name of the author, for the history. Default: the caller */
  changedBy?: string | null | undefined;
  /** `preview` lists, `execute` forgets */
  mode?: "preview" | "execute" | undefined;
  /** IDs of memories, at most 200 */
  ids?: string[] | null | undefined;
  /** Words that describe the memories to forget */
  query?: string | undefined;
  /** Only memories of this type, such as `decision` */
  type?: string | null | undefined;
  /** Only memories with all these tags: a list, or separated by commas */
  tags?: string | string[] | undefined;
  /** Only memories of this author */
  who?: string | null | undefined;
  /** Only rows of this project: its folder, or its name if it is unique */
  project?: string | null | undefined;
  /** Only pinned memories, or only others */
  pinned?: boolean | null | undefined;
  /** Only memories of this kind of source, such as `manual` or `session` */
  sourceType?: string | null | undefined;
  /** Earliest time: ISO 8601, or YYYY-MM-DD */
  since?: string | null | undefined;
  /** Latest time: ISO 8601, or YYYY-MM-DD */
  until?: string | null | undefined;
  /** Name of a separate part of the store; memories with a scope are found only with it */
  scope?: string | null | undefined;
  /** Maximum number of memories; with `all`, how many a preview lists */
  limit?: number | null | undefined;
  /** Number of rows to skip */
  offset?: number | undefined;
  /** Select every match, not only a page */
  all?: boolean | undefined;
  /** Why; required with `mode` execute */
  reason?: string | undefined;
  /** Delete permanently, including pinned memories */
  force?: boolean | undefined;
  /** The content is untrue, not only unwanted or outdated */
  wrong?: boolean | undefined;
  /** Take back only their saving: what another source states remains, and the text may be saved again */
  undo?: boolean | undefined;
  /** `confirm_token` of a preview of the same selection; needed for more than 25 */
  confirmToken?: string | null | undefined;
}

/** Why a memory is forgotten; the query string may contain every field instead. */
export interface ForgetOneBody {
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
  /** Key of the session that this call belongs to */
  sessionKey?: string | null | undefined;
  /** Name of the author, for the history. Default: the caller */
  changedBy?: string | null | undefined;
  /** Why; required unless `erase` */
  reason?: string | undefined;
  /** Also if it is pinned */
  force?: boolean | undefined;
  /** The content is untrue, not only unwanted or outdated */
  wrong?: boolean | undefined;
  /** Erase it permanently, with its bytes in the file; also a forgotten one */
  erase?: boolean | undefined;
  /** Refuse the change (409) if the memory has another version */
  ifVersion?: number | null | undefined;
}

/**
 * The memories selected by a forget request; `confirmToken` confirms exactly these. `total` counts the matches.
 *
 * `similar` memories are not selected: they spell an identifier differently, or lack a word.
 */
export interface ForgetPreview {
  /** Number of derived memories that are forgotten or recovered too */
  alongCount?: number;
  /** The first of these memories */
  along?: Followed[];
  /** Derived memories that remain */
  staying?: Stayed[];
  /** What may still contain the text: documents, and copies on disk */
  heldBy?: string[];
  /** Whether it was done */
  success: boolean;
  /** `preview`: nothing has been forgotten */
  mode: "preview";
  /** Number of selected memories in this answer */
  count: number;
  /** Number of all matches */
  total: number;
  /** Whether `mode: execute` needs `confirmToken` */
  requiresConfirm: boolean;
  /** Confirms exactly these memories */
  confirmToken: string;
  /** The selected memories */
  candidates: Candidate[];
  /** Memories that are not selected: they lack a word, or spell a name differently */
  similar: Candidate[];
}

/** Preview or forget a session, and why; `agent_id` if several agents have this session key. */
export interface ForgetSessionBody {
  /** `preview` lists, `execute` forgets */
  mode?: "preview" | "execute" | undefined;
  /** Why; stored in the history */
  reason?: string | undefined;
  /** Owner of the session, if several agents have this key */
  agentId?: string | null | undefined;
}

/** Who forgot a memory, and why; `until` is the last instant for recovery. */
export interface Forgetting {
  by: string;
  reason: string | null;
  until: string | null;
}

export interface ForgottenDocument {
  success: boolean;
  deleted: boolean;
  memoriesRemoved: number;
}

export interface ForgottenMany {
  /** Whether it was done */
  success: boolean;
  /** `execute` */
  mode: "execute";
  /** Number of selected memories */
  requested: number;
  /** Number of forgotten memories */
  deleted: number;
  /** The same as `deleted` */
  count: number;
  /** Number of all matches */
  total: number;
  /** Number of pinned memories that remain; `force` forgets them too */
  pinned: number;
  /** The result for each memory */
  results: Modified[];
  /** File of the backup that was made first */
  backup?: string | null;
  /** Why no backup was made */
  backupSkipped?: string;
}

/**
 * A forgotten, rejected or erased value (`why`), which is not saved again automatically.
 *
 * `id` is its memory's. `label` is the start of the text, null for an erased one and for callers who may not
 * recover; `recoverableUntil` is null if the memory itself is deleted.
 */
export interface ForgottenValue {
  id: string;
  agentId: string;
  scope: string | null;
  why: string;
  label: string | null;
  since: string;
  recoverableUntil: string | null;
}

/** A page of forgotten values, newest first; `next` is the cursor of the next one, `total` counts all. */
export interface ForgottenValues {
  values: ForgottenValue[];
  next: string | null;
  total: number;
}

export interface FoundMany {
  results: FoundMemory[];
}

/** A memory found by words, filters or similarity; `tags` is a list when found by similarity. */
export interface FoundMemory {
  id: string;
  content: string;
  type: string;
  created_at: string;
  tags: string | string[] | null;
  score?: number;
  confidence?: number | null;
  who?: string | null;
  importance?: number;
  pinned?: boolean;
}

export interface FoundSkills {
  results: CatalogSkill[];
}

/**
 * All that `signet status` shows: the status, and parts of the answers of other operations.
 *
 * `memories` are counts, `vectors` the answer of `/api/embeddings/status`, `known` that of `/api/harnesses`. Loading
 * their types would take as long as the command.
 */
export interface FullStatus {
  status: string;
  version: string;
  pid: number;
  uptime: number;
  startedAt: string;
  port: number;
  host: string;
  bindHost: string;
  agentsDir: string;
  memoryDb?: boolean;
  pipelineV2?: Record<string, unknown>;
  health?: Diagnosis;
  reasons?: string[];
  agentCreatedAt?: string | null;
  holdout?: number;
  configError?: string | null;
  configWarnings?: string[];
  restartRequired?: string[];
  logging?: LogFiles;
  update?: UpdateStatus;
  storage?: Storage;
  processes?: Record<string, unknown>[];
  activeSessions?: number;
  bypassedSessions?: number;
  providerResolution?: Record<string, Record<string, unknown>>;
  queue?: Record<string, unknown>;
  oldestDueSeconds?: number | null;
  waitingForProvider?: Record<string, string>;
  embedding?: EmbeddingState;
  reviewsWaiting?: number;
  capture?: Capture;
  memories: Record<string, unknown>;
  pipeline: Record<string, unknown>;
  vectors: Record<string, unknown>;
  backfill: Record<string, unknown>;
  predictor: Record<string, unknown>;
  known: Record<string, unknown>;
}

/** Settings to change. */
export interface GitConfigBody {
  /** Whether Signet uses the workspace's git repository */
  enabled?: boolean | null | undefined;
  /** Commit changes automatically */
  autoCommit?: boolean | null | undefined;
  /** Pull and push regularly */
  autoSync?: boolean | null | undefined;
  /** Seconds between syncs */
  syncInterval?: number | null | undefined;
  /** Name of the remote */
  remote?: string | null | undefined;
  /** Name of the branch */
  branch?: string | null | undefined;
}

export interface GitDone {
  success: boolean;
  message: string;
  changes?: number;
  pulled?: number;
  pushed?: number;
}

/** When the workspace is committed, and its remote. */
export interface GitSettings {
  enabled: boolean;
  autoCommit: boolean;
  autoSync: boolean;
  syncInterval: number;
  remote: string;
  branch: string | null;
}

export interface GitStatus {
  isRepo: boolean;
  branch: string | null;
  remote: string | null;
  hasCredentials: boolean;
  authMethod: string;
  autoSync: boolean;
  lastSync: string | null;
  uncommittedChanges: number | null;
  unpushedCommits: number | null;
  unpulledCommits: number | null;
  problem: string | null;
}

/** The cost of memory in tokens of four characters: injected unasked, and used. */
export interface GivenTokens {
  given: number;
  used: number;
  wasted: number;
  perSession: number;
}

/**
 * Entities and their edges as columns: one value per entity, pinned and most mentioned ones first.
 *
 * `kinds` and `communities` are indexes into `kindNames` and `communityNames`, -1 for no community; the largest
 * community is first. `sources` and `targets` are entity indexes, one pair per edge, the strongest first. `total`
 * counts all matches.
 */
export interface GraphColumns {
  ids: string[];
  names: string[];
  kinds: number[];
  mentions: number[];
  communities: number[];
  pinned: number[];
  kindNames: string[];
  communityNames: string[];
  sources: number[];
  targets: number[];
  total: number;
}

export interface Greeting {
  greeting: string;
  cachedAt: string;
}

/** The time of a harness's last captured message, and the key of a later session without any. */
export interface HarnessCapture {
  harness: string;
  lastMessageAt: string | null;
  emptySession: string | null;
}

export interface Harnesses {
  harnesses: KnownHarness[];
}

/** The daemon answers; `db` is false if its database does not. */
export interface Health {
  /** `healthy`, or what is wrong */
  status: string;
  /** Seconds since the start */
  uptime: number;
  /** ID of the process */
  pid: number;
  /** Version of Signet */
  version: string;
  /** TCP port */
  port: number;
  /** Folder of the workspace, for callers who may know it */
  agentsDir?: string;
  /** Whether the database answers */
  db: boolean;
  /** What is wrong */
  reasons: string[];
  /** Whether a newer version exists */
  updateAvailable: boolean;
  /** Version that is installed, or setting, that needs a restart */
  pendingRestart: string | null;
}

/** In how many sessions a memory helped, of those with a label. */
export interface Helped {
  times: number;
  of: number;
}

export interface History {
  /** ID of the memory */
  memoryId: string;
  /** Number of rows in this answer */
  count: number;
  /** The changes, oldest first */
  history: MemoryChange[];
}

/** The history of all memories, newest first; `next` is the cursor of the next page, null on the last. */
export interface HistoryPage {
  history: ListedChange[];
  count: number;
  next: string | null;
}

/**
 * The first page besides new memories, with `projects` as of `/api/projects`.
 *
 * `digest` has what was decided and changed since an instant, and `imported` the sources of what was imported since.
 * `kept` counts stored sessions, unless the caller is limited to a project. `forgotten` counts, without texts, for
 * callers who may recover.
 */
export interface Home {
  reviews: WaitingMemories;
  projects: ListedProject[];
  digest: ProjectDigest[];
  imported: KeyCount[];
  kept?: number;
  forgotten?: MemoryPage;
}

/** A question from a session; `harness` and `query` are required. */
export interface HookRecallBody {
  /** The question. Required */
  query?: string | undefined;
  /** Words for the keyword search. Default: those of `query` */
  keywordQuery?: string | null | undefined;
  /** Maximum number of results */
  limit?: number | undefined;
  /** Only memories of this type, such as `decision` */
  type?: string | null | undefined;
  /** Only memories with all these tags: a list, or separated by commas */
  tags?: string | string[] | undefined;
  /** Only memories of this author */
  who?: string | null | undefined;
  /** Only pinned memories, or only others */
  pinned?: boolean | null | undefined;
  /** Minimum importance, 0–1 */
  importanceMin?: number | null | undefined;
  /** Minimum score, 0 to 1 */
  minScore?: number | null | undefined;
  /** Minimum relevance; 0 returns everything */
  floor?: number | null | undefined;
  /** Earliest time: ISO 8601, or YYYY-MM-DD */
  since?: string | null | undefined;
  /** Latest time: ISO 8601, or YYYY-MM-DD */
  until?: string | null | undefined;
  /** Answer as the memory was at this time */
  asOf?: string | number | null | undefined;
  /** Reference time for words such as "yesterday". Default: now */
  now?: string | number | null | undefined;
  /** IANA time zone, for the bounds of days. Default: the daemon's */
  timezone?: string | null | undefined;
  /** Only rows of this project: its folder, or its name if it is unique */
  project?: string | null | undefined;
  /** Name of a separate part of the store; memories with a scope are found only with it */
  scope?: string | null | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
  /** Key of the session, whose use of the results is recorded */
  sessionKey?: string | null | undefined;
  /** Only memories of communities that the question names */
  community?: boolean | undefined;
  /** Also return, under `sources`, transcripts of the sessions of the results */
  expand?: boolean | undefined;
  /** Also describe the entities in the question */
  entities?: boolean | undefined;
  /** Also return a card for each entity in the question */
  cards?: boolean | undefined;
  /** Explain the rank of each result */
  explain?: boolean | undefined;
  /** Count the results as used; false for a look */
  touch?: boolean | undefined;
  /** Mark the question's words in each result, and cut long results around them */
  highlights?: boolean | undefined;
  /** ID of a memory: say why it is not a result */
  whyNot?: string | null | undefined;
  /** Also return the text that a session would receive with this prompt */
  asPrompt?: boolean | undefined;
  /** Short name of the calling program. Required */
  harness?: string | undefined;
  /** `plugin` or `legacy`: whether a plugin or a hook command calls. The first to call owns the session; the other gets 409 */
  runtimePath?: string | null | undefined;
}

/** A text to save from a session; `content` is required. */
export interface HookRememberBody {
  /** Short name of the calling program, such as `myagent`. Required */
  harness?: string | undefined;
  /** Key of the session: the same in all its calls, and unique among all sessions of all harnesses (a UUID) */
  sessionKey?: string | null | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
  /** Folder of the project */
  project?: string | null | undefined;
  /** `plugin` or `legacy`: whether a plugin or a hook command calls. The first to call owns the session; the other gets 409 */
  runtimePath?: string | null | undefined;
  /** What the session's own machine knows about its folder, for a daemon on another machine */
  repository?: RepositoryBody | null | undefined;
  /** The text to remember. Required */
  content?: string | undefined;
  /** Name of the author */
  who?: string | null | undefined;
  /** `global` (all agents of the workspace) or `private` (only its owner) */
  visibility?: "global" | "private" | null | undefined;
  /** Any text; a second save with the same key changes nothing */
  idempotencyKey?: string | null | undefined;
}

/** Doubtful rows of the graph. */
export interface Hygiene {
  suspiciousEntities: SuspiciousEntity[];
  duplicateEntities: DuplicateEntity[];
  attributeSummary: UnfoundedAttributes;
  safeMentionCandidates: MentionCandidate[];
}

/** IDs with the requested prefix, at most ten. */
export interface Ids {
  ids: string[];
}

export interface Impact {
  entityId: string;
  entityName: string;
  direction: string;
  impact: Ring[];
  timedOut?: boolean;
}

/** The changed entity, and the direction to follow. */
export interface ImpactBody {
  /** ID of the changed entity. Required */
  entityId?: string | undefined;
  /** `downstream` (what depends on it) or `upstream` (what it depends on) */
  direction?: string | undefined;
  /** Maximum number of steps */
  maxDepth?: number | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
}

/** Records of an import, in file order. */
export interface ImportBody {
  /** Records in the [export format](export.md), at most 1,000 */
  records: Record<string, unknown>[];
  /** The file contains vectors, so none are computed */
  vectors?: boolean | undefined;
  /** Name of a dry run, the same in all its requests; nothing is written */
  preview?: string | null | undefined;
  /** This is the last request of the dry run */
  last?: boolean | undefined;
}

/** The result for the records of one request; `masked` names kinds of masked secrets. */
export interface Imported {
  new: number;
  known: number;
  forgotten: number;
  refused: number;
  kinds: Record<string, Record<string, number>>;
  reasons: Record<string, unknown>[];
  masked?: string[];
}

/** The result of an installation; the running daemon needs a restart. */
export interface Installed {
  success: boolean;
  message: string;
  restartRequired: boolean;
  output?: string;
  installedVersion?: string;
}

export interface InstalledSkill {
  success: boolean;
  name: string;
  output: string;
}

/** Whether the database file is intact; `ok` is null if time ran out. */
export interface Integrity {
  checkedAt: string;
  ok: boolean | null;
  timedOut?: boolean;
  sqlite: string[];
  ftsOk: boolean;
  vecOk: boolean;
}

/** A mean with its 95 % confidence bounds; bounds are null for fewer than two values. */
export interface Interval {
  mean: number;
  low: number | null;
  high: number | null;
}

/** A token, shown once; `jti` is used to revoke it. */
export interface IssuedToken {
  token: string;
  expiresAt: string;
  jti: string;
}

export interface Job {
  /** Its ID */
  id: string;
  /** Memory that it processes */
  memory_id: string | null;
  /** Document that it processes */
  document_id: string | null;
  /** What it does */
  job_type: string;
  /** What the job does, in words */
  says: string;
  /** Name of its queue */
  queue: string;
  /** `pending`, `leased` (running), `completed` or `dead` (failed for good) */
  status: string;
  /** The same as `attempts` */
  attempt_count: number;
  /** Number of runs until now */
  attempts: number;
  /** Number of runs after which it is dead */
  max_attempts: number;
  /** Earliest time of the next run, while pending */
  next_attempt_at: string | null;
  /** The same as `error` */
  last_error: string | null;
  /** Code of the last error */
  last_error_code: string | null;
  /** The last error */
  error: string | null;
  /** What it did, as JSON text */
  result: unknown;
  /** Start of the current run */
  leased_at: string | null;
  /** End of the successful run */
  completed_at: string | null;
  /** Time at which it became dead or was cancelled */
  failed_at: string | null;
  /** Time at which it was queued */
  created_at: string;
  /** Time of the last change */
  updated_at: string;
}

export interface JobCount {
  key: string;
  count: number;
  says: string;
}

/**
 * Jobs, latest change first; `next` is the cursor of the next page, null on the last.
 *
 * `total` counts the matching jobs. `facets` counts by status, kind, queue and code (of dead jobs), each without its
 * own filter.
 */
export interface Jobs {
  /** The jobs */
  jobs: Job[];
  /** Number of rows in this answer */
  count: number;
  /** Cursor of the next page; null on the last */
  next: string | null;
  /** Number of all matches */
  total?: number;
  /** Counts of the matches by field, if requested */
  facets?: Record<string, JobCount[]>;
}

/** A selection of jobs; `dryRun` changes nothing. Selecting every job requires `all`. */
export interface JobsBody {
  /** IDs of the rows */
  ids?: string[] | null | undefined;
  /** Only jobs of this kind, such as `extract` */
  kind?: string | null | undefined;
  /** Only jobs whose last error has this code */
  code?: string | null | undefined;
  /** ID of a memory */
  memoryId?: string | null | undefined;
  /** ID of a document */
  documentId?: string | null | undefined;
  /** Earliest time: ISO 8601, or YYYY-MM-DD */
  since?: string | number | null | undefined;
  /** Latest time: ISO 8601, or YYYY-MM-DD */
  until?: string | number | null | undefined;
  /** Select every match, not only a page */
  all?: boolean | undefined;
  /** Maximum number of jobs. Default: all `ids`, else 50 */
  limit?: number | null | undefined;
  /** Only report what would change */
  dryRun?: boolean | undefined;
}

export type JsonValue = unknown;

export interface KeptSecret {
  success: boolean;
  name: string;
}

/** A value with the number of its rows; `says` names a type or author. */
export interface KeyCount {
  key: string;
  count: number;
  says?: string;
}

/** Counts of the graph. */
export interface KnowledgeStats {
  entityCount: number;
  dependencyCount: number;
  aspectCount: number;
  averageAspectWeight: number;
  feedbackUpdatedAspectCount: number;
  maxWeightAspectCount: number;
  minWeightAspectCount: number;
  attributeCount: number;
  constraintCount: number;
  unassignedMemoryCount: number;
  coveragePercent: number;
}

/**
 * A supported harness; `lastSeen` is its last call, `notices` are what a person has yet to do for it.
 *
 * `plugin`: it is connected by our plugin in its own list of plugins.
 */
export interface KnownHarness {
  name: string;
  id: string;
  path: string;
  exists: boolean;
  lastSeen: string | null;
  connected: boolean;
  plugin: boolean;
  problems: string[];
  notices: string[];
}

/**
 * A repair: its effect, options and limits.
 *
 * `recommended` is the finding that suggests it, null for none. `waitMs` is the rest of the cooldown or hour,
 * `runsLeft` of `runsPerHour`. `filters` are IDs, kind, age and error, for selecting its rows.
 */
export interface KnownRepair {
  action: string;
  path: string;
  help: string;
  noun: string;
  options: RepairOption[];
  filters: string[];
  looksFirst: boolean;
  needsWorker: boolean;
  recommended: string | null;
  lastRunAt: string | null;
  waitMs: number;
  runsLeft: number;
  runsPerHour: number;
}

/** The effect of the latest session feedback on the graph's weights. */
export interface LastFeedback {
  lastRunAt: string | null;
  feedbackAspectsUpdated: number;
  feedbackFtsConfirmations: number;
  feedbackDecayedAspects: number;
  feedbackPropagatedAttributes: number;
}

export interface Lifted {
  success: boolean;
  id: string;
}

export interface LinkedEntity {
  /** Its ID */
  id: string;
  /** Its name */
  name: string;
  /** Its type, such as `person` */
  entityType: string;
}

export interface LinkedMemory {
  id: string;
  content: string;
}

/**
 * A memory's links that the reader may see; each list has the newest 50.
 *
 * `sources` are its source memories, `distilled` derived ones, `corrects` those it superseded; `correctedBy`
 * superseded it.
 */
export interface Links {
  /** ID of the memory */
  memoryId: string;
  /** Memories that it was derived from */
  sources: Followed[];
  /** Memories derived from it */
  distilled: Followed[];
  /** Memories that it replaced */
  corrects: Followed[];
  /** The memory that replaced it */
  correctedBy: Followed | null;
  /** Entities that it names */
  entities: LinkedEntity[];
}

/** One event in the history of all memories; `content` is the memory's current text, null if it is deleted. */
export interface ListedChange {
  by?: string;
  why?: string | null;
  id: string;
  event: string;
  oldContent: string | null;
  newContent: string | null;
  changedBy: string;
  actorType: string | null;
  reason: string | null;
  metadata: Record<string, unknown> | string | null;
  createdAt: string;
  sessionId: string | null;
  requestId: string | null;
  memoryId: string;
  content: string | null;
}

/** A project with the number of its memories and sessions; `lastAt` is the end of its latest session. */
export interface ListedProject {
  /** Folder of the project */
  project: string;
  /** Number of its memories */
  memories: number;
  /** Number of its sessions */
  sessions: number;
  /** End of its latest session */
  lastAt: string | null;
}

/**
 * An active or ended session with its overview and counts of injected and used items.
 *
 * `endedAt` is null while it runs, `seconds` its duration up to its last message. `given` excludes sections of the
 * start, and `tokens` are estimated.
 */
export interface ListedSession {
  /** The message that says most about its subject, or a model's title */
  title: string | null;
  /** The last result that the agent reported */
  outcome: string | null;
  /** What the person decided in it */
  decisions: string[];
  /** Files that the agent changed */
  files: string[];
  /** Key of the session */
  key: string;
  /** Name of the agent that owns it */
  agentId: string;
  /** Short name of the program, such as `claude-code` */
  harness: string | null;
  /** Folder of its project; null for every project */
  project: string | null;
  /** Time of its start */
  startedAt: string;
  /** Time of its last message */
  lastAt: string;
  /** Time of its end; null while it is active */
  endedAt: string | null;
  /** Duration up to the last message */
  seconds: number;
  /** True: this session is bypassed, so nothing was stored or injected */
  bypassed: boolean;
  /** Number of prompts */
  prompts: number;
  /** Number of injected texts, without the standing parts of the start */
  given: number;
  /** Number of those that the agent used */
  used: number;
  /** Estimated tokens: four characters each */
  tokens: number;
}

/** The process is not stuck. */
export interface Live {
  status: string;
}

/** Language model calls; p50 and p95 are in milliseconds. */
export interface LlmStats {
  calls: number;
  errors: number;
  totalInputTokens: number;
  totalOutputTokens: number;
  totalCost: number;
  p50: number;
  p95: number;
}

/** The counts of one session's log. */
export interface LogCounts {
  version: string | null;
  messages: number;
  unknownRecords: Record<string, number>;
  shortened: number;
  leftOut: number;
}

export interface LogFiles {
  logDir: string;
  logFile: string;
}

/** Lines of the log in time order, unchanged. */
export interface LogLines {
  logs: Record<string, unknown>[];
  count: number;
}

/** One change; `by` and `why` are `changedBy` and `reason` in words. */
export interface MemoryChange {
  /** The same in words */
  by?: string;
  /** `reason` in words */
  why?: string | null;
  /** ID of the change */
  id: string;
  /** `created`, `updated`, `deleted`, `recovered` and others */
  event: string;
  /** Text before the change */
  oldContent: string | null;
  /** Text after the change */
  newContent: string | null;
  /** Who changed it */
  changedBy: string;
  /** What that is, such as `user` or `harness` */
  actorType: string | null;
  /** Why */
  reason: string | null;
  /** Further details */
  metadata: Record<string, unknown> | string | null;
  /** Time of the change */
  createdAt: string;
  /** Key of the session in which it was changed */
  sessionId: string | null;
  /** ID of the request, as in the log */
  requestId: string | null;
}

/** New memories from `start` to `end`, and changes in that time. */
export interface MemoryEra {
  eraIndex: number;
  rangeKey: string;
  label: string;
  start: string;
  end: string;
  memoriesAdded: number;
  trackedEvents: number;
  evolved: number;
  strengthened: number;
  recovered: number;
  avgImportance: number;
  pinned: number;
  typeBreakdown: KeyCount[];
  sourceBreakdown: KeyCount[];
  topTags: KeyCount[];
}

/**
 * A page of memories; `next` is the cursor of the next one, null on the last.
 *
 * `stats` counts all memories, `total` and `facets` the matches; each facet ignores its own filter.
 */
export interface MemoryPage {
  /** The memories */
  memories: MemorySummary[];
  /** Cursor of the next page; null on the last */
  next: string | null;
  /** Counts of all memories, not only the matches */
  stats?: MemoryStats;
  /** Number of all matches */
  total?: number;
  /** Counts of the matches by field, if requested */
  facets?: Record<string, KeyCount[]>;
}

/** Counts of memory changes by result. */
export interface MemorySafety {
  mutation: Diagnosis;
  recentErrors: NotedError[];
  errorSummary: Record<string, number>;
}

export interface MemoryStats {
  /** Number of memories */
  total: number;
  /** Those with a vector */
  withEmbeddings: number;
  /** Those that are pinned or very important */
  critical: number;
}

/** One memory in a list; `forgotten` only in a list of forgotten ones. */
export interface MemorySummary {
  /** Its ID */
  id: string;
  /** The text */
  content: string;
  /** Type and source in words */
  says: string;
  /** Time of saving */
  created_at: string;
  /** Name of the author */
  who: string | null;
  /** How slowly it fades, 0–1 */
  importance: number;
  /** Tags, separated by commas */
  tags: string | null;
  /** Kind of source, such as `manual` or `session` */
  source_type: string | null;
  /** Type, such as `decision` */
  type: string;
  /** Time of the last change */
  updated_at: string;
  /** Folder of its project; null for every project */
  project: string | null;
  /** Name of the agent that owns it */
  agent_id: string;
  /** `global` or `private`, or the space */
  visibility: string;
  /** Name of a separate part of the store */
  scope: string | null;
  /** Key of the session in which it was saved */
  session_id: string | null;
  /** ID of the source, in its terms */
  source_id: string | null;
  /** When it happened, if not at `created_at` */
  event_at: string | null;
  /** Time from which it is true */
  valid_from: string | null;
  /** Time until which it is true */
  valid_to: string | null;
  /** ID of the memory that replaced it */
  superseded_by: string | null;
  /** How often it was found or injected */
  access_count: number;
  /** When it was last found or injected */
  last_accessed: string | null;
  /** Number of the version; each change adds 1 */
  version: number;
  /** When it was forgotten */
  deleted_at: string | null;
  /** Whose words they are: `user`, `agent`, `inferred`, `imported`, `tool` or `web` */
  origin: string;
  /** `waiting` if the text needs approval before agents receive it unasked */
  review: string | null;
  /** Whether it never fades */
  pinned: boolean;
  /** Whether it is found by meaning */
  has_vector: boolean;
  /** For a forgotten memory: by whom, why, and until when it can be recovered */
  forgotten?: Forgetting;
}

/** Today, the last week and the last month; each includes the previous ones. */
export interface MemoryTimeline {
  generatedAt: string;
  generatedFor: string;
  rangePreset: string;
  totalMemories: number;
  totalHistoryEvents: number;
  invalidMemoryTimestamps: number;
  invalidHistoryTimestamps: number;
  buckets: MemoryEra[];
}

/** How often a memory was used, and the sessions that considered it, latest first. */
export interface MemoryUsage {
  memoryId: string;
  accessCount: number;
  lastAccessed: string | null;
  uses: MemoryUse[];
  count: number;
}

/** A session that a memory was injected into, or omitted from (`given` false), and why; `use` as in its context. */
export interface MemoryUse {
  sessionKey: string;
  agentId: string;
  harness: string;
  project: string | null;
  phase: string;
  prompt: number;
  at: string;
  given: boolean;
  reason: string;
  score: number | null;
  use: "used" | "not used" | "not known yet" | null;
}

export interface MentionCandidate {
  memoryId: string;
  entityId: string;
  name: string;
}

/**
 * A memory merged into a result, and the start of its text.
 *
 * `kind` is `passage` (another chunk of the text), `fact` (derived from it) or `copy`.
 */
export interface MergedMemory {
  id: string;
  kind: string;
  content: string;
}

/** The age of the model list; `error` explains an unreachable server. */
export interface ModelRegistry {
  enabled: boolean;
  lastRefreshAt: string | null;
  error: string | null;
  modelCounts: Record<string, number>;
}

export interface Models {
  models: OfferedModel[];
  registry: ModelRegistry;
}

/**
 * The result for one memory; for a refused one among several, `status` and `error` give the reason.
 *
 * `masked` names kinds of masked secrets in a new text. `id` is null if the patch has none.
 */
export interface Modified {
  /** Number of derived memories that are forgotten or recovered too */
  alongCount?: number;
  /** The first of these memories */
  along?: Followed[];
  /** Derived memories that remain */
  staying?: Stayed[];
  /** What may still contain the text: documents, and copies on disk */
  heldBy?: string[];
  /** Whether it was done */
  success: boolean;
  /** ID of the memory */
  id: string | null;
  /** `updated`, `no_changes`, `deleted`, `recovered`, or the reason for a refusal */
  status: string;
  /** Version before the change */
  currentVersion?: number;
  /** Version now */
  newVersion?: number;
  /** Whether the text is another one */
  contentChanged?: boolean;
  /** Whether it has a vector, so that it is found by meaning; otherwise a job makes one */
  embedded?: boolean;
  /** Kinds of the secrets that were masked */
  masked?: string[];
  /** IDs of forgotten memories with the same text, which may be saved again from now on */
  lifted?: string[];
  /** For a refusal: the memory that has this text already */
  duplicateMemoryId?: string;
  /** Why it was refused */
  error?: string;
}

export interface ModifiedMany {
  success: boolean;
  total: number;
  updated: number;
  results: Modified[];
}

/** Several independent patches. `reason` is the default for those without one. */
export interface ModifyBody {
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
  /** Key of the session that this call belongs to */
  sessionKey?: string | null | undefined;
  /** Name of the author, for the history. Default: the caller */
  changedBy?: string | null | undefined;
  /** Objects with `id` and the fields of `PATCH /api/memory/{memory_id}`; at most 200 */
  patches: unknown[];
  /** Reason of patches without their own */
  reason?: string | null | undefined;
}

export interface NamedAgent {
  id: string;
  name: string;
  read_policy: string;
  reads: string;
  policy_group: string | null;
  created_at: string;
  updated_at: string;
}

/** The memory nearest to an empty page, and why it was left out. */
export interface NearestMiss {
  /** Its ID */
  id: string;
  /** The text, cut at the requested length */
  content: string;
  /** Type and source in words */
  says: string;
  /** Length of the whole text */
  content_length: number;
  /** Whether `content` is cut */
  truncated: boolean;
  /** Relevance, 0–1 */
  score: number;
  /** What found it: `hybrid`, `vector`, `keyword`, `graph`, `episode` and others */
  source: string;
  /** Type, such as `decision` */
  type: string;
  /** Tags, separated by commas */
  tags: string | null;
  /** Whether it never fades */
  pinned: boolean;
  /** How slowly it fades, 0–1 */
  importance: number;
  /** Name of the author */
  who: string | null;
  /** Folder of its project; null for every project */
  project: string | null;
  /** Time of saving */
  created_at: string;
  /** Kind of source, such as `manual` or `session` */
  source_type: string | null;
  /** ID of the source, in its terms */
  source_id: string | null;
  /** How often it was found or injected */
  accessCount: number;
  /** When it was last found or injected */
  lastAccessed: string | null;
  /** Whose words they are: `user`, `agent`, `inferred`, `imported`, `tool` or `web` */
  origin?: string;
  /** `waiting` if the text needs approval before agents receive it unasked */
  review?: string;
  /** For a memory in a space: author and space */
  shared?: SharedBy;
  /** When it happened, if not at `created_at` */
  event_at?: string;
  /** Time from which it is true */
  valid_from?: string;
  /** Time until which it is true */
  valid_to?: string;
  /** True: `superseded_by` replaced it */
  superseded?: boolean;
  /** ID of the memory that replaced it */
  superseded_by?: string;
  /** A later statement that seems to replace it */
  newer?: Newer;
  /** True: added because it belongs to another result */
  supplementary?: boolean;
  /** Positions of the question's words in `content`: pairs of start and end */
  highlights?: number[][];
  /** Title of its session */
  title?: string;
  /** Other memories with the same statement, at most ten */
  parts?: MergedMemory[];
  /** Their number in words, such as `and 2 facts` */
  more?: string;
  /** With `explain`: why it has this place */
  explain?: Explanation;
  /** Why it is no result */
  left_out: string;
}

/** A new space; its name is small letters, digits and hyphens. */
export interface NewSpaceBody {
  /** What it is for */
  description?: string | null | undefined;
  /** Whether shared memories wait for the owner's approval */
  review?: boolean | null | undefined;
  /** Name of the space: small letters, digits and hyphens */
  name: string;
}

/**
 * A later statement that seems to replace a result; nothing is stored, and no person has confirmed it.
 *
 * `id` is a memory, session or commit, `since` its time, `says` its words. `replaces` is the older statement;
 * `is_part` if the result contains others.
 */
export interface Newer {
  id: string;
  since: string;
  says: string;
  replaces: string;
  is_part: boolean;
}

export interface NotedError {
  timestamp: string;
  stage: string;
  code: string;
  message: string;
  requestId?: string;
  memoryId?: string;
  actor?: string;
}

/** There was no search, because hooks are disabled here; the lists are empty. */
export interface NothingRecalled {
  memories: RecallResult[];
  results: RecallResult[];
  count: number;
  bypassed?: boolean;
  internal?: boolean;
}

/** Nothing was saved, because hooks are disabled here; `memories` is empty. */
export interface NothingRemembered {
  success: boolean;
  memories: string[];
  bypassed?: boolean;
  internal?: boolean;
}

/** The workers that were woken. */
export interface Nudged {
  success: boolean;
  nudged: string[];
}

/** An available model; `tier` is low, mid or high. */
export interface OfferedModel {
  id: string;
  provider: string;
  label: string;
  tier: string;
  deprecated: boolean;
}

export interface OfferedSkills {
  results: CatalogSkill[];
  total: number;
}

/** The projects of a machine, "" for sessions without one. */
export interface OfflineBody {
  /** Folders of projects; "" for sessions without one */
  projects?: string[] | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
}

/** A session start of a project, and its standing rules; either may be empty. */
export interface OfflineContext {
  project: string;
  inject: string;
  rules: string;
}

/** The offline copy of a machine; it replaces the previous one. */
export interface OfflineContexts {
  at: string;
  contexts: OfflineContext[];
}

/** Why a memory is not among the results, or its rank; a score only if it was a candidate. */
export interface OmittedMemory {
  /** Its ID */
  id: string;
  /** Why it is no result; empty if it is one */
  left_out: string;
  /** Its place among the results */
  place?: number;
  /** Relevance, 0–1 */
  score?: number;
  /** How its relevance was computed */
  explain?: Explanation;
}

/**
 * The origin of a memory's text, most trusted first.
 *
 * `user`: the user's words. `agent`: saved by an agent or a program. `inferred`: derived from messages. `imported`:
 * from a file, a document or another store. `tool`: output of a tool. `web`: from a page or an email.
 */
export type Origin = "user" | "agent" | "inferred" | "imported" | "tool" | "web";

export interface PairCount {
  count: number;
}

export interface PastSessions {
  sessions: string[];
}

/**
 * New values for one memory: at least one; tags null clear them.
 *
 * `project` is a folder of the repository that it belongs to, empty for every project. Facts read from it follow.
 */
export interface PatchBody {
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
  /** Key of the session that this call belongs to */
  sessionKey?: string | null | undefined;
  /** Name of the author, for the history. Default: the caller */
  changedBy?: string | null | undefined;
  /** Why; stored in the history */
  reason: string;
  /** Refuse the change (409) if the memory has another version */
  ifVersion?: number | null | undefined;
  /** New text */
  content?: string | null | undefined;
  /** New type */
  type?: string | null | undefined;
  /** New tags, replacing all; null or an empty list clears them */
  tags?: string | string[] | null | undefined;
  /** New importance */
  importance?: number | null | undefined;
  /** Whether it never fades */
  pinned?: boolean | null | undefined;
  /** New author */
  who?: string | null | undefined;
  /** Folder of the project it belongs to; "" for every project */
  project?: string | null | undefined;
}

/** How a memory was found. */
export interface PathBody {
  /** IDs of aspects */
  aspectIds?: string[] | undefined;
  /** IDs of dependencies */
  dependencyIds?: string[] | undefined;
}

/** Whether all queues are paused, and each pause: `queue` ("all" for every queue), `since` and `by`. */
export interface Paused {
  success: boolean;
  paused: boolean;
  pauses: (Record<string, string | null>)[];
}

/** A person's choice for an entity; without a body it is pinned. */
export interface PinBody {
  /** `pin` or `suppress` */
  pinType?: unknown;
  /** Its weight in graph walks, 0 to 2 */
  weightOverride?: unknown;
  /** Why; stored in the history */
  reason?: string | null | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
}

/** Whether an entity is pinned or `suppressed`, and its weight. */
export interface Pinned {
  pinned: boolean;
  pinnedAt?: string;
  suppressed?: boolean;
  pinType?: string;
  weightOverride?: number;
}

export interface PinnedEntity {
  id: string;
  name: string;
  pinnedAt: string;
}

/**
 * Running, waiting and dead jobs.
 *
 * `queues.memory.byType` has counts, rate and time left of each kind, `queues.memory.unserved` the waiting jobs that
 * no worker of this version runs.
 */
export interface PipelineStatus {
  /** What background work may do: `controlled-write` (all), `shadow`, `frozen` or `disabled` */
  mode: string;
  /** Whether all queues are paused */
  paused: boolean;
  /** Each pause: queue, time and who asked for it */
  pauses: (Record<string, string | null>)[];
  /** What each worker does now */
  workers: Record<string, Record<string, unknown>>;
  /** Counts for each kind of job */
  queues: Record<string, Record<string, unknown>>;
  /** Number of waiting jobs */
  queue: number;
  /** Number of running jobs */
  processing: number;
  /** Number of dead jobs */
  deadLetter: number;
  /** The latest requests to models, and their errors */
  providers: Record<string, Record<string, unknown>[]>;
  /** Number of errors by code */
  errorSummary: Record<string, number>;
  /** State of the search along the graph */
  traversal: Record<string, unknown>;
  /** The last change of weights in the graph */
  feedback: LastFeedback;
  /** State of the learned ranking */
  predictor: Record<string, unknown>;
  /** Durations in milliseconds */
  latency: Record<string, Record<string, number>>;
  /** Health, as in `GET /api/diagnostics` */
  diagnostics: Diagnoses;
}

/** A harness is about to compact its context. */
export interface PreCompactionBody {
  /** Short name of the calling program, such as `myagent`. Required */
  harness?: string | undefined;
  /** Key of the session: the same in all its calls, and unique among all sessions of all harnesses (a UUID) */
  sessionKey?: string | null | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
  /** Folder of the project */
  project?: string | null | undefined;
  /** `plugin` or `legacy`: whether a plugin or a hook command calls. The first to call owns the session; the other gets 409 */
  runtimePath?: string | null | undefined;
  /** What the session's own machine knows about its folder, for a daemon on another machine */
  repository?: RepositoryBody | null | undefined;
  /** Text that a checkpoint stores */
  sessionContext?: string | undefined;
}

/** Instructions for the summary before compaction; `instructions` only where hooks do nothing, and empty. */
export interface Precompaction {
  /** Instructions for the summary */
  summaryPrompt: string;
  /** The same in one line */
  note?: string;
  /** The list within the instructions */
  guidelines: string;
  /** Empty; only for a bypassed session */
  instructions?: string;
  /** True: this session is bypassed, so nothing was stored or injected */
  bypassed?: boolean;
}

/** A memory that a saved one seems to replace. */
export interface Predecessor {
  /** Its ID */
  id: string;
  /** Its text */
  content: string;
}

/**
 * The learned data; `trained`: it changes the weight of a memory.
 *
 * `training_pairs` is the number of labels. It uses no vectors, so both dimensions are 0.
 */
export interface PredictorModel {
  trained: boolean;
  training_pairs: number;
  model_version: number | null;
  last_trained: string | null;
  native_dimensions: number;
  feature_dimensions: number;
}

/** The settings disable learned ranking. */
export interface PredictorOff {
  enabled: boolean;
  status: null;
}

/**
 * Whether learned ranking is active: `alpha` is 1 while it is observed, 0 while active.
 *
 * `sessions` are those compared since the last start, `minSessions` the minimum for proof. `evidence` must reach
 * `enoughEvidence`.
 */
export interface PredictorState {
  alpha: number;
  successRate: number;
  coldStartExited: boolean;
  sessions: number;
  minSessions: number;
  activeVersion: number | null;
  lastRollback: string | null;
  wins: number;
  losses: number;
  ties: number;
  evidence: number;
  enoughEvidence: number;
}

export interface PredictorStatus {
  enabled: boolean;
  alive: boolean;
  crashCount: number;
  crashDisabled: boolean;
  status: PredictorModel;
  state: PredictorState;
}

/** Resources of one daemon process; null if unknown or not running. */
export interface ProcessCost {
  name: string;
  pid: number | null;
  uptime: number | null;
  restarts: number;
  memoryBytes: number | null;
  cpuSeconds: number | null;
}

/** A text of this version, as Markdown and optionally as HTML; `cachedAt` is in ms. */
export interface ProductPage {
  content: string;
  html?: string;
  source: string;
  cachedAt: number;
}

/** Sessions and items of a project, newest first; `project` is empty for those of no project. */
export interface ProjectDigest {
  project: string;
  sessions: ListedSession[];
  items: DigestItem[];
}

export interface ProjectResult {
  project: string | null;
  wins: number;
  losses: number;
  winRate: number;
  avgMargin: number;
}

export interface ProjectResults {
  items: ProjectResult[];
}

export interface ProjectScore {
  project: string | null;
  score: number;
  created_at: string;
}

export interface ProjectScores {
  scores: ProjectScore[];
}

/** Memories as points in two or three dimensions; none while `status` is `computing`. */
export interface Projection {
  status: string;
  dimensions: number;
  count: number;
  total: number;
  limit?: number;
  offset?: number;
  hasMore?: boolean;
  nodes?: EmbeddingNode[];
  edges?: number[][];
  cachedAt?: string | null;
  sampled?: boolean;
}

/**
 * The two-dimensional map without texts: each column has one entry per memory, newest first.
 *
 * `types` are indexes into `typeNames`; `x` and `y` are tenths, from −2,100 to 2,100.
 */
export interface ProjectionColumns {
  status: string;
  count: number;
  total: number;
  ids: string[];
  x: number[];
  y: number[];
  types: number[];
  typeNames: string[];
}

/** Projects, the latest session first. */
export interface Projects {
  /** The projects */
  projects: ListedProject[];
}

/** A user's message; `userMessage` cleaned, `userPrompt` unchanged. */
export interface PromptBody {
  /** Short name of the calling program, such as `myagent`. Required */
  harness?: string | undefined;
  /** Key of the session: the same in all its calls, and unique among all sessions of all harnesses (a UUID) */
  sessionKey?: string | null | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
  /** Folder of the project */
  project?: string | null | undefined;
  /** `plugin` or `legacy`: whether a plugin or a hook command calls. The first to call owns the session; the other gets 409 */
  runtimePath?: string | null | undefined;
  /** What the session's own machine knows about its folder, for a daemon on another machine */
  repository?: RepositoryBody | null | undefined;
  /** Folder of the session; used if `project` is missing */
  cwd?: string | null | undefined;
  /** The user's message. Required, or `userPrompt` */
  userMessage?: string | undefined;
  /** The message with everything that the harness adds to it; Signet removes the additions */
  userPrompt?: string | undefined;
  /** The answer before this prompt; helps short prompts such as "yes, do that" */
  lastAssistantMessage?: string | undefined;
  /** Ratings of received memories: ID with a number from -1 (harmful) to 1 (useful) */
  memoryFeedback?: unknown;
  /** Path of the harness's log on the daemon's machine, which the daemon reads. A path outside the harnesses' own folders is not read */
  transcriptPath?: string | null | undefined;
  /** The conversation as text with `User:` and `Assistant:` turns, as JSON lines, or as a list of messages with `role` and `content` */
  transcript?: string | Record<string, unknown>[] | null | undefined;
}

/** The context of a prompt; `inject` is the text for the model. */
export interface Prompted {
  /** Text to give to the model; empty if there is nothing */
  inject: string;
  /** Number of texts in `inject` */
  memoryCount: number;
  /** The words that were searched for */
  queryTerms?: string;
  /** How it was searched: `hybrid` (words and meaning), `keyword` or `episodes` */
  engine?: string;
  /** Whether this session had a start */
  sessionKnown?: boolean;
  /** Messages for the person */
  warnings?: string[];
  /** True: this session is bypassed, so nothing was stored or injected */
  bypassed?: boolean;
  /** True: Signet itself started the calling program, so nothing was stored or injected */
  internal?: boolean;
}

/** HMAC-SHA256 of a nonce and the port with the workspace token, in hex. */
export interface Proof {
  proof: string;
}

/** The queue to pause or resume; none means all. */
export interface QueueBody {
  /** Name of a queue, such as `llm`. Default: all */
  queue?: string | null | undefined;
}

/** A queued sync, as `jobId`; with a `message` instead if one is already running. */
export interface QueuedSync {
  status: string;
  jobId?: string;
  message?: string;
}

/** A command's output, with secret values masked. */
export interface Ran {
  stdout: string;
  stderr: string;
  code: number;
}

/**
 * Accepted ratings, and IDs that the session did not receive; `propagated` counts the resulting changes.
 *
 * The answer to a rating of one memory has only `recorded`.
 */
export interface Rated {
  ok: boolean;
  recorded: number;
  unknown?: string[];
  accepted?: number;
  rejected?: number;
  propagated?: number;
}

/** Whether database, schema, worker and scheduler are ready, and what is missing. */
export interface Ready {
  status: string;
  reasons: string[];
  error?: string;
  code?: string;
  checks?: Record<string, unknown>;
}

/** One question; only `query` is required. Null and empty fields count as missing. */
export interface RecallBody {
  /** The question. Required */
  query?: string | undefined;
  /** Words for the keyword search. Default: those of `query` */
  keywordQuery?: string | null | undefined;
  /** Maximum number of results */
  limit?: number | undefined;
  /** Only memories of this type, such as `decision` */
  type?: string | null | undefined;
  /** Only memories with all these tags: a list, or separated by commas */
  tags?: string | string[] | undefined;
  /** Only memories of this author */
  who?: string | null | undefined;
  /** Only pinned memories, or only others */
  pinned?: boolean | null | undefined;
  /** Minimum importance, 0–1 */
  importanceMin?: number | null | undefined;
  /** Minimum score, 0 to 1 */
  minScore?: number | null | undefined;
  /** Minimum relevance; 0 returns everything */
  floor?: number | null | undefined;
  /** Earliest time: ISO 8601, or YYYY-MM-DD */
  since?: string | null | undefined;
  /** Latest time: ISO 8601, or YYYY-MM-DD */
  until?: string | null | undefined;
  /** Answer as the memory was at this time */
  asOf?: string | number | null | undefined;
  /** Reference time for words such as "yesterday". Default: now */
  now?: string | number | null | undefined;
  /** IANA time zone, for the bounds of days. Default: the daemon's */
  timezone?: string | null | undefined;
  /** Only rows of this project: its folder, or its name if it is unique */
  project?: string | null | undefined;
  /** Name of a separate part of the store; memories with a scope are found only with it */
  scope?: string | null | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
  /** Key of the session that this call belongs to */
  sessionKey?: string | null | undefined;
  /** Only memories of communities that the question names */
  community?: boolean | undefined;
  /** Also return, under `sources`, transcripts of the sessions of the results */
  expand?: boolean | undefined;
  /** Also describe the entities in the question */
  entities?: boolean | undefined;
  /** Also return a card for each entity in the question */
  cards?: boolean | undefined;
  /** Explain the rank of each result */
  explain?: boolean | undefined;
  /** Count the results as used; false for a look */
  touch?: boolean | undefined;
  /** Mark the question's words in each result, and cut long results around them */
  highlights?: boolean | undefined;
  /** ID of a memory: say why it is not a result */
  whyNot?: string | null | undefined;
  /** Also return the text that a session would receive with this prompt */
  asPrompt?: boolean | undefined;
}

/**
 * One result of recall; `score` is its relevance, between 0 and 1; `truncated` marks a shortened content.
 *
 * A `superseded` one was corrected by the memory `superseded_by`. `parts` lists merged memories, best first and at
 * most ten; `more` describes them.
 */
export interface RecallResult {
  /** Its ID */
  id: string;
  /** The text, cut at the requested length */
  content: string;
  /** Type and source in words */
  says: string;
  /** Length of the whole text */
  content_length: number;
  /** Whether `content` is cut */
  truncated: boolean;
  /** Relevance, 0–1 */
  score: number;
  /** What found it: `hybrid`, `vector`, `keyword`, `graph`, `episode` and others */
  source: string;
  /** Type, such as `decision` */
  type: string;
  /** Tags, separated by commas */
  tags: string | null;
  /** Whether it never fades */
  pinned: boolean;
  /** How slowly it fades, 0–1 */
  importance: number;
  /** Name of the author */
  who: string | null;
  /** Folder of its project; null for every project */
  project: string | null;
  /** Time of saving */
  created_at: string;
  /** Kind of source, such as `manual` or `session` */
  source_type: string | null;
  /** ID of the source, in its terms */
  source_id: string | null;
  /** How often it was found or injected */
  accessCount: number;
  /** When it was last found or injected */
  lastAccessed: string | null;
  /** Whose words they are: `user`, `agent`, `inferred`, `imported`, `tool` or `web` */
  origin?: string;
  /** `waiting` if the text needs approval before agents receive it unasked */
  review?: string;
  /** For a memory in a space: author and space */
  shared?: SharedBy;
  /** When it happened, if not at `created_at` */
  event_at?: string;
  /** Time from which it is true */
  valid_from?: string;
  /** Time until which it is true */
  valid_to?: string;
  /** True: `superseded_by` replaced it */
  superseded?: boolean;
  /** ID of the memory that replaced it */
  superseded_by?: string;
  /** A later statement that seems to replace it */
  newer?: Newer;
  /** True: added because it belongs to another result */
  supplementary?: boolean;
  /** Positions of the question's words in `content`: pairs of start and end */
  highlights?: number[][];
  /** Title of its session */
  title?: string;
  /** Other memories with the same statement, at most ten */
  parts?: MergedMemory[];
  /** Their number in words, such as `and 2 facts` */
  more?: string;
  /** With `explain`: why it has this place */
  explain?: Explanation;
}

/** The number of results, and recall's time in milliseconds. */
export interface RecallStats {
  /** Number of results */
  total: number;
  /** Time of the search, in milliseconds */
  searchTime: number;
}

/** The answer to a question, best result first. */
export interface Recalled {
  /** Results, best first */
  results: RecallResult[];
  /** The question */
  query: string;
  /** How it was searched: `hybrid` (words and meaning), `keyword` or `timeline` (a question about a time) */
  method: string;
  /** The same as `results`, for older programs */
  memories: RecallResult[];
  /** Number of rows in this answer */
  count: number;
  /** Number of results, and milliseconds */
  stats: RecallStats;
  /** Without a result: the nearest memory, and why it was left out */
  nearest?: NearestMiss;
  /** Entities that the question names, if requested */
  entities?: Record<string, unknown>[];
  /** Texts of the conversations that the results are from, by session, if requested */
  sources?: Record<string, string>;
  /** With `explain`: the time that the question names */
  time?: Record<string, unknown>;
  /** With `explain`: how the search went */
  explain?: Record<string, unknown>;
  /** Steps that were skipped, such as search by meaning without a model */
  degraded?: string[];
  /** Why they were skipped */
  degraded_reasons?: Record<string, string>;
  /** True: no result, and new texts are not yet searched by meaning; ask again in some seconds */
  incomplete?: boolean;
  /** With `why_not`: why that memory is no result */
  why_not?: OmittedMemory;
  /** With `as_prompt`: the text that a session would receive for this question */
  prompt?: AsPrompt;
}

/** Why a memory is recovered; the query string may contain every field instead. */
export interface RecoverBody {
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
  /** Key of the session that this call belongs to */
  sessionKey?: string | null | undefined;
  /** Name of the author, for the history. Default: the caller */
  changedBy?: string | null | undefined;
  /** Why. Required */
  reason?: string | undefined;
  /** Refuse the change (409) if the memory has another version */
  ifVersion?: number | null | undefined;
}

/** Memories to recover, and why. */
export interface RecoverManyBody {
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
  /** Key of the session that this call belongs to */
  sessionKey?: string | null | undefined;
  /** Name of the author, for the history. Default: the caller */
  changedBy?: string | null | undefined;
  /** IDs of forgotten memories, at most 200 */
  ids: string[];
  /** Why; stored in the history */
  reason: string;
}

export interface Recovered {
  /** Number of derived memories that are forgotten or recovered too */
  alongCount?: number;
  /** The first of these memories */
  along?: Followed[];
  /** Derived memories that remain */
  staying?: Stayed[];
  /** What may still contain the text: documents, and copies on disk */
  heldBy?: string[];
  /** Whether it was done */
  success: boolean;
  /** ID of the memory */
  id: string | null;
  /** `updated`, `no_changes`, `deleted`, `recovered`, or the reason for a refusal */
  status: string;
  /** Version before the change */
  currentVersion?: number;
  /** Version now */
  newVersion?: number;
  /** Whether the text is another one */
  contentChanged?: boolean;
  /** Whether it has a vector, so that it is found by meaning; otherwise a job makes one */
  embedded?: boolean;
  /** Kinds of the secrets that were masked */
  masked?: string[];
  /** IDs of forgotten memories with the same text, which may be saved again from now on */
  lifted?: string[];
  /** For a refusal: the memory that has this text already */
  duplicateMemoryId?: string;
  /** Why it was refused */
  error?: string;
  /** Days for which a forgotten memory can be recovered */
  retentionDays: number;
}

/** The result for each memory to recover, in the order of the IDs. */
export interface RecoveredMany {
  success: boolean;
  requested: number;
  recovered: number;
  results: Modified[];
}

/** The models of each provider; `throttled` if the list was just refreshed. */
export interface RefreshedModels {
  models: Record<string, OfferedModel[]>;
  registry: ModelRegistry;
  throttled: boolean;
}

export interface Regenerated {
  success: boolean;
  message: string;
  output: string;
}

/** One text to save; only `content` is required. */
export interface RememberBody {
  /** The text to remember, at most 1,048,576 characters. Required */
  content?: string | undefined;
  /** `fact`, `decision`, `rationale`, `preference`, `rule`, `learning`, `issue` or another word. Default: chosen by the text */
  type?: string | null | undefined;
  /** Name of the author. Default: the caller */
  who?: string | null | undefined;
  /** Whose words these are. A claim beyond the caller's right is lowered */
  origin?: Origin | null | undefined;
  /** Folder of the project it belongs to. Default: every project */
  project?: string | null | undefined;
  /** How slowly it fades. Default: by type and text */
  importance?: number | null | undefined;
  /** Tags: a list, or separated by commas */
  tags?: string | string[] | null | undefined;
  /** Never fades; needs `force` to be forgotten */
  pinned?: boolean | undefined;
  /** Kind of source. Default: `manual` */
  sourceType?: string | null | undefined;
  /** ID of the source, in the caller's terms */
  sourceId?: string | null | undefined;
  /** Position in its source, such as the turn of a conversation */
  ordinal?: number | null | undefined;
  /** When it was stated: ISO 8601, or seconds or milliseconds since 1970. Default: now */
  createdAt?: string | number | null | undefined;
  /** When it happened, if not at `createdAt` */
  eventAt?: string | number | null | undefined;
  /** Name of the agent that owns it. Default: the caller's own */
  agentId?: string | null | undefined;
  /** Key of the session that this call belongs to */
  sessionKey?: string | null | undefined;
  /** `global` (all agents of the workspace) or `private` (only its owner) */
  visibility?: "global" | "private" | null | undefined;
  /** Name of a separate part of the store to save it in */
  scope?: string | null | undefined;
  /** Questions that this text answers; they help recall find it */
  hints?: string[] | null | undefined;
  /** Names of entities in the text, or relations between two of them */
  entities?: (string | EntityBody)[] | undefined;
  /** Facts about an entity, grouped by aspect */
  aspects?: AspectBody[] | undefined;
  /** The conversation that it is from; stored with its session */
  transcript?: string | null | undefined;
  /** Short name of the calling program, such as `claude-code` */
  harness?: string | null | undefined;
  /** Any text; a second save with the same key changes nothing */
  idempotencyKey?: string | null | undefined;
  /** ID, or IDs, of memories that it replaces */
  supersedes?: string | string[] | undefined;
  /** Name of the author, for the history. Default: the caller */
  changedBy?: string | null | undefined;
}

/** The memory of a text; `deduped`: it already existed. */
export interface RememberedByHook {
  success: boolean;
  saved: boolean;
  id: string;
  memoryId: string;
  deduped: boolean;
  masked?: string[];
}

/** A removed agent; its memories were erased (`purged`) or archived. */
export interface RemovedAgent {
  success: boolean;
  purged: boolean;
}

export interface RemovedConnector {
  success: boolean;
  deleted: boolean;
}

export interface RemovedSkill {
  success: boolean;
  name: string;
  message: string;
}

/** The new expiry of a session's claim. */
export interface RenewedSession {
  key: string;
  renewed: boolean;
  expiresAt: string;
}

/** One field of a repair's body; numbers are between `low` and `high`. A default of null means required. */
export interface RepairOption {
  name: string;
  help: string;
  type: "integer" | "number" | "boolean" | "string";
  default: unknown;
  low: number | null;
  high: number | null;
  choices: string[];
  required: boolean;
}

/** The result of a repair, or that it waits for the worker (`details.jobId`). */
export interface Repaired {
  action: string;
  success: boolean;
  affected: number;
  message: string;
  details?: Record<string, unknown>;
}

export interface Repairs {
  repairs: KnownRepair[];
  count: number;
}

/** A past session with the current settings and, if requested, with others. */
export interface Replay {
  sessionKey: string;
  now: Replayed;
  other: Replayed | null;
}

/** One past session; `settings` are values by dotted key for a second replay. */
export interface ReplayBody {
  /** Key of an ended session */
  sessionKey: string;
  /** Settings by dotted key, for a second replay with these values */
  settings?: Record<string, JsonValue> | null | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
}

/**
 * What the `prompts` of a past session would receive.
 *
 * Of the `helped` memories, `found` are among the first ten of a recall, and `carried` are injected with a prompt.
 * `ndcg` (0..1) compares recall's ranking with the best one; `tokens` are of all injected texts.
 */
export interface Replayed {
  prompts: number;
  helped: number;
  found: number;
  carried: number;
  ndcg: number;
  tokens: number;
}

/** The folder of a session as its own machine describes it, for a daemon on another one. */
export interface RepositoryBody {
  /** Name of the machine */
  machine: string;
  /** Root folder of the project on that machine */
  root: string;
  /** Root of the git worktree, if it is another folder */
  tree?: string | undefined;
  /** Folder of the session below the root */
  subPath?: string | undefined;
  /** Whether the folder is in a git repository */
  isRepository?: boolean | undefined;
  /** Address of the repository's remote */
  remote?: string | null | undefined;
  /** IDs of the first commits of the repository, which identify it */
  commits?: string[] | undefined;
}

export interface Resources {
  processes: ProcessCost[];
  disk: DiskPart[];
}

export interface Resynced {
  status: string;
  total: number;
  started: number;
  alreadySyncing: number;
  unsupported: number;
  failed: number;
}

export interface RevokedToken {
  jti: string;
  sub: string | null;
  role: string | null;
  scope: Record<string, unknown>;
  issuedAt: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
  lastSeenAt: string | null;
  success: boolean;
}

/** How a memory was used afterwards, as counts or shares. */
export interface RewardBody {
  /** How often later answers cited it */
  forwardCitation?: number | undefined;
  /** How often it was changed after it was found */
  updateAfterRetrieval?: number | undefined;
  /** How often it led to new memories */
  downstreamCreation?: number | undefined;
  /** How often it led to nothing */
  deadEnd?: number | undefined;
}

/** Entities at one distance from a change, and their probability of being affected. */
export interface Ring {
  depth: number;
  label: string;
  entities: AffectedEntity[];
}

export type Role = "admin" | "operator" | "agent" | "readonly" | "monitor";

/** The owner of the order; `version` is refused, because there are no earlier models. */
export interface RollBackBody {
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
  /** Refused: there are no earlier models */
  version?: number | null | undefined;
}

/** The active version: none. */
export interface RolledBack {
  activeVersion: number | null;
}

/** A reply of JSON-RPC 2.0: a result or an error. */
export interface RpcReply {
  jsonrpc: string;
  id: string | number | null;
  result?: Record<string, unknown>;
  error?: Record<string, unknown>;
}

export interface RunPage {
  runs: Record<string, unknown>[];
  total: number;
  hasMore: boolean;
}

export interface RunningSession {
  /** Key of the session */
  key: string;
  /** `plugin` or `legacy`: who claimed the session */
  runtimePath: string;
  /** Time of its start */
  claimedAt: string | null;
  /** Time at which it counts as ended without a further message */
  expiresAt: string | null;
  /** Name of the agent that owns it */
  agentId: string;
  /** True: this session is bypassed, so nothing was stored or injected */
  bypassed: boolean;
  /** Short name of the program, such as `claude-code` */
  harness: string | null;
  /** Folder of its project; null for every project */
  project: string | null;
}

export interface RunningSessions {
  /** The active sessions */
  sessions: RunningSession[];
  /** Number of rows in this answer */
  count: number;
}

/**
 * A saved memory; `deduped`: it already existed. A long text becomes several: `chunked`, `ids`.
 *
 * `lifted` names forgotten memories with the same value, which is no longer forgotten. To link the memories in
 * `may_replace`, save the same text again with `supersedes`.
 */
export interface SavedMemory {
  /** Whether it was done */
  success: boolean;
  /** Its ID */
  id: string;
  /** The same as `id`, for older programs */
  memoryId: string;
  /** Type, such as `decision` */
  type: string;
  /** Tags, separated by commas */
  tags: string | null;
  /** Whether it never fades */
  pinned: boolean;
  /** How slowly it fades, 0–1 */
  importance: number;
  /** The text */
  content: string;
  /** Whether it has a vector, so that it is found by meaning; otherwise a job makes one */
  embedded: boolean;
  /** True: a memory with this text existed already, and `id` is its ID */
  deduped: boolean;
  /** True: the existing memory has the new spelling now */
  rewritten?: boolean;
  /** Number of entities linked to it */
  entities_linked: number;
  /** Number of stored questions that it answers */
  hints_written: number;
  /** Whose words they are: `user`, `agent`, `inferred`, `imported`, `tool` or `web` */
  origin: string;
  /** The origin that the request named, if the caller may not claim it */
  origin_claimed?: string;
  /** `waiting` if the text needs approval before agents receive it unasked */
  review?: string;
  /** IDs of the memories that it replaced */
  superseded?: string[];
  /** IDs in `supersedes` that it may not replace */
  not_superseded?: string[];
  /** Memories that it seems to replace. To replace them, save it again with `supersedes` */
  may_replace?: Predecessor[];
  /** Kinds of the secrets that were masked */
  masked?: string[];
  /** IDs of forgotten memories with the same text, which may be saved again from now on */
  lifted?: string[];
  /** True: the text was longer than a memory and is stored in pieces */
  chunked?: boolean;
  /** Number of pieces */
  chunk_count?: number;
  /** IDs of the pieces */
  ids?: string[];
  /** ID that the pieces share */
  group_id?: string | null;
}

/** The limits of a token: a project, an agent or a user; omitted parts are unlimited. */
export interface ScopeBody {
  /** Only this project */
  project?: string | null | undefined;
  /** Only this agent */
  agent?: string | null | undefined;
  /** Only this person; not together with `agent` */
  user?: string | null | undefined;
  /** Rights by space: `read`, `write`, `promote` */
  spaces?: Record<string, Verb[]> | undefined;
}

/** Count, average, trend (newest − oldest) and newest of some scores. */
export interface ScoreSummary {
  count: number;
  average: number;
  trend: number;
  latest: number | null;
}

/** A value to store. */
export interface SecretBody {
  /** The secret value */
  value: string;
}

export interface SecretValue {
  name: string;
  value: string;
}

export interface Secrets {
  secrets: string[];
}

/**
 * Counts per ten minutes, hour or day: `starts` has the start of each, the last one is still running.
 *
 * `series` has one number per interval and metric; `told_tokens` is an estimate of four characters per token,
 * `recall_p95` in milliseconds; recalls are counted while `telemetryEnabled`.
 */
export interface Series {
  step: string;
  tz: string;
  starts: string[];
  series: Record<string, number[]>;
}

export interface SessionCheckpoint {
  id: string;
  session_key: string;
  harness: string;
  project: string | null;
  project_normalized: string | null;
  trigger: string;
  digest: string;
  prompt_count: number;
  memory_queries: string | null;
  recent_remembers: string | null;
  focal_entity_ids: string | null;
  focal_entity_names: string | null;
  active_aspect_ids: string | null;
  surfaced_constraint_count: number | null;
  traversal_memory_count: number | null;
  created_at: string;
  memoryQueries: string[];
  recentRemembers: string[];
  focalEntityIds: string[];
  focalEntityNames: string[];
  activeAspectIds: string[];
}

/** A session's injections; until `isOver`, it may still use some. */
export interface SessionContext {
  /** Key of the session */
  sessionKey: string;
  /** Name of the agent that owns it */
  agentId: string;
  /** Short name of the program, such as `claude-code` */
  harness: string;
  /** Folder of its project; null for every project */
  project: string | null;
  /** Time of its start */
  startedAt: string;
  /** Whether it has ended; until then it may still use a text */
  isOver: boolean;
  /** Sums of all injections */
  totals: ContextTotals;
  /** Start, prompts, compactions and searches, in order */
  injections: ContextInjection[];
}

/** An ended session or, with a checkpoint, one that continues. */
export interface SessionEndBody {
  /** Short name of the calling program, such as `myagent`. Required */
  harness?: string | undefined;
  /** Key of the session: the same in all its calls, and unique among all sessions of all harnesses (a UUID) */
  sessionKey?: string | null | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
  /** Folder of the project */
  project?: string | null | undefined;
  /** `plugin` or `legacy`: whether a plugin or a hook command calls. The first to call owns the session; the other gets 409 */
  runtimePath?: string | null | undefined;
  /** What the session's own machine knows about its folder, for a daemon on another machine */
  repository?: RepositoryBody | null | undefined;
  /** Another name of `sessionKey` */
  sessionId?: string | null | undefined;
  /** Path of the harness's log on the daemon's machine, which the daemon reads. A path outside the harnesses' own folders is not read */
  transcriptPath?: string | null | undefined;
  /** The conversation as text with `User:` and `Assistant:` turns, as JSON lines, or as a list of messages with `role` and `content` */
  transcript?: string | Record<string, unknown>[] | null | undefined;
  /** Folder of the session; used if `project` is missing */
  cwd?: string | null | undefined;
  /** `clear` discards the session. Every other value keeps it */
  reason?: string | null | undefined;
}

/** What forgetting a session deleted; `notesKept` were edited by a person, `heldBy` may still contain its texts. */
export interface SessionForgotten {
  alongCount?: number;
  along?: Followed[];
  staying?: Stayed[];
  heldBy?: string[];
  sessionKey: string;
  agentId: string;
  transcriptChars: number;
  passages: number;
  summaries: number;
  checkpoints: number;
  given: number;
  notes: string[];
  mode: "execute";
  notesKept: string[];
}

/** A memory of a session: `saved` by the agent, or `distilled` from it. */
export interface SessionMemory {
  id: string;
  content: string;
  type: string;
  createdAt: string;
  how: "saved" | "distilled";
}

/** Sessions, latest activity first; `next` is the cursor of the next page, null on the last. */
export interface SessionPage {
  /** The sessions */
  sessions: ListedSession[];
  /** Number of rows in this answer */
  count: number;
  /** Cursor of the next page; null on the last */
  next: string | null;
}

export interface SessionPreview {
  alongCount?: number;
  along?: Followed[];
  staying?: Stayed[];
  heldBy?: string[];
  sessionKey: string;
  agentId: string;
  transcriptChars: number;
  passages: number;
  summaries: number;
  checkpoints: number;
  given: number;
  notes: string[];
  mode: "preview";
}

/**
 * A whole session: overview, injections, messages, memories and summary.
 *
 * `turns` are the messages of its transcript, to which `turn` and `usedIn` refer; none without a transcript, or for
 * a caller who may see only part of the session.
 */
export interface SessionReplay {
  sessionKey: string;
  agentId: string;
  harness: string;
  project: string | null;
  startedAt: string;
  isOver: boolean;
  totals: ContextTotals;
  injections: ContextInjection[];
  title: string | null;
  outcome: string | null;
  decisions: string[];
  files: string[];
  turns: Spoken[];
  memories: SessionMemory[];
  summary: string | null;
}

export interface SessionScore {
  id: string;
  session_key: string;
  project: string | null;
  harness: string | null;
  score: number;
  memories_recalled: number | null;
  memories_used: number | null;
  novel_context_count: number | null;
  reasoning: string | null;
  created_at: string;
}

export interface SessionScores {
  scores: SessionScore[];
  summary: ScoreSummary;
}

/**
 * A session start; `context` is the session's topic.
 *
 * `needsContext` is true for a plugin that keeps its context only in memory and has none.
 */
export interface SessionStartBody {
  /** Short name of the calling program, such as `myagent`. Required */
  harness?: string | undefined;
  /** Key of the session: the same in all its calls, and unique among all sessions of all harnesses (a UUID) */
  sessionKey?: string | null | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
  /** Folder of the project */
  project?: string | null | undefined;
  /** `plugin` or `legacy`: whether a plugin or a hook command calls. The first to call owns the session; the other gets 409 */
  runtimePath?: string | null | undefined;
  /** What the session's own machine knows about its folder, for a daemon on another machine */
  repository?: RepositoryBody | null | undefined;
  /** Another name of `sessionKey` */
  sessionId?: string | null | undefined;
  /** Folder of the session; used if `project` is missing */
  cwd?: string | null | undefined;
  /** Topic of the session; memories near it are preferred */
  context?: string | null | undefined;
  /** True for a plugin that has lost its context: return it again, though the session has received it */
  needsContext?: unknown;
}

export interface SessionSummary {
  id: string;
  project: string | null;
  depth: number;
  kind: string;
  content: string;
  token_count: number | null;
  earliest_at: string;
  latest_at: string;
  session_key: string | null;
  harness: string | null;
  agent_id: string;
  created_at: string;
  childCount: number;
}

export interface SessionTranscript {
  sessionKey: string;
  agentId: string;
  harness: string | null;
  project: string | null;
  content: string;
  createdAt: string;
  updatedAt: string | null;
  reading?: LogCounts | null;
  title: string | null;
  outcome: string | null;
  decisions: string[];
  files: string[];
}

/**
 * One setting: description, value and default; `origin` is the file that sets it, or `default`.
 *
 * Secrets are masked. Numbers are between `low` and `high`, null for no bound; with `restart`, a change needs a
 * restart.
 */
export interface Setting {
  key: string;
  label: string;
  often: number;
  kind: "boolean" | "integer" | "number" | "choice" | "text" | "list" | "map";
  default: unknown;
  value: unknown;
  origin: string;
  low: number | null;
  high: number | null;
  choices: string[];
  says: Record<string, string>;
  group: string;
  secret: boolean;
  restart: boolean;
}

/** New values of settings by dotted key, such as `search.alpha`; null restores the default. */
export interface SettingsBody {
  /** Settings by dotted key, such as `{"search.alpha": 0.6}`; null restores the default */
  set: Record<string, JsonValue>;
  /** Refuse the change (409) if the file has another SHA-256 */
  ifHash?: string | null | undefined;
}

/**
 * One memory's way into a space; `state` is proposed, shared, refused or withdrawn.
 *
 * `content` is its text, null for callers who may not read it. `author` is the owner of the memory.
 */
export interface Share {
  id: string;
  memoryId: string;
  content: string | null;
  space: string;
  state: string;
  author: string;
  note: string | null;
  sharedBy: string;
  sharedAt: string;
  decidedBy: string | null;
  decidedAt: string | null;
  endedBy: string | null;
  endedAt: string | null;
}

/** The space that a memory enters, and why. */
export interface ShareBody {
  /** Name of a space */
  space: string;
  /** Why it is shared; those who decide see it */
  note?: string | null | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
}

/** The author of a memory in a space. */
export interface SharedBy {
  by: string;
  space: string;
}

/** A page of shares, newest first; `next` is the cursor of the next one. */
export interface Shares {
  shares: Share[];
  next: string | null;
}

/** An installed skill's metadata; `path` is its folder. */
export interface Skill {
  name: string;
  description: string;
  version: string | null;
  author: string | null;
  maintainer: string | null;
  license: string | null;
  homepage: string | null;
  user_invocable: boolean;
  arg_hint: string | null;
  verified: boolean;
  builtin: boolean;
  role: string;
  permissions: string[];
  triggers: string[];
  tags: string[];
  dependencies: Record<string, string[]>;
  path: string;
}

/** The skill to install, by name or `owner/repo[@skill]`; `source` may give its location. */
export interface SkillInstallBody {
  /** Name of the skill in a catalogue, or `owner/repo[@skill]` */
  name?: string | undefined;
  /** Where to get it: a local path or `owner/repo[@skill]` */
  source?: string | null | undefined;
}

export interface Skills {
  skills: Skill[];
  count: number;
}

/** A group of sessions: corrections and repeated questions per session, and the prompts. */
export interface SomeSessions {
  sessions: number;
  corrections: Interval | null;
  askedAgain: Interval | null;
  prompts: Interval | null;
}

/**
 * A space; `review`: what is shared waits for approval; `verbs` are the caller's.
 *
 * `memories` is the number of memories in it, `waiting` of those that wait for approval.
 */
export interface Space {
  name: string;
  description: string;
  review: boolean;
  createdBy: string;
  createdAt: string;
  memories: number;
  waiting: number;
  verbs: string[];
}

/** What a space says about itself, and whether what is shared waits for approval. */
export interface SpaceBody {
  /** What it is for */
  description?: string | null | undefined;
  /** Whether shared memories wait for the owner's approval */
  review?: boolean | null | undefined;
}

export interface Spaces {
  spaces: Space[];
}

/** One message: `role` is user, assistant, note or the name of a speaker; `at` if known. */
export interface Spoken {
  role: string;
  text: string;
  at: string | null;
}

/** The effect of one stage on a result's score; `says` gives the reason. */
export interface Stage {
  stage: string;
  before: number;
  after: number;
  says: string;
}

/** The started backfill; nothing is queued with `dryRun`. */
export interface StartedBackfill {
  sessions: number;
  newSessions: number;
  bytes: number;
  repositories: number;
  seconds: number;
  harnesses: BackfillHarness[];
  projects: BackfillProject[];
  dryRun: boolean;
}

export interface StartedRun {
  runId: string;
  status: string;
}

/** The context of a session start; `inject` is the text for the model. Without identity if the hook does nothing. */
export interface StartedSession {
  /** Text to give to the model; empty if there is nothing */
  inject: string;
  /** The memories in `inject` */
  memories: ToldMemory[];
  /** Name and character of the agent */
  identity?: Record<string, string>;
  /** The part of MEMORY.md in `inject` */
  recentContext?: string;
  /** Messages for the person */
  warnings?: string[];
  /** True: this session is bypassed, so nothing was stored or injected */
  bypassed?: boolean;
  /** True: Signet itself started the calling program, so nothing was stored or injected */
  internal?: boolean;
}

/** State of the daemon. A request may name parts: then only these of the fields from `memoryDb` on are returned. */
export interface Status {
  status: string;
  version: string;
  pid: number;
  uptime: number;
  startedAt: string;
  port: number;
  host: string;
  bindHost: string;
  agentsDir: string;
  memoryDb?: boolean;
  pipelineV2?: Record<string, unknown>;
  health?: Diagnosis;
  reasons?: string[];
  agentCreatedAt?: string | null;
  holdout?: number;
  configError?: string | null;
  configWarnings?: string[];
  restartRequired?: string[];
  logging?: LogFiles;
  update?: UpdateStatus;
  storage?: Storage;
  processes?: Record<string, unknown>[];
  activeSessions?: number;
  bypassedSessions?: number;
  providerResolution?: Record<string, Record<string, unknown>>;
  queue?: Record<string, unknown>;
  oldestDueSeconds?: number | null;
  waitingForProvider?: Record<string, string>;
  embedding?: EmbeddingState;
  reviewsWaiting?: number;
  capture?: Capture;
}

/** A derived memory that remains: it is `pinned`, kept by a `person`, or has an `other_source`. */
export interface Stayed {
  /** Its ID */
  id: string;
  /** The start of its text */
  content: string;
  /** Why it remains: `pinned`, `person` or `other_source` */
  why: string;
}

export interface StoppedBackfill {
  stopped: number;
}

/**
 * The database engine (sqlite or postgresql), its address, whether it has known faults, and the vector search in
 * use.
 */
export interface Storage {
  engine: string;
  address: string | null;
  version: string;
  safe: boolean;
  vectors: string;
}

export interface StoredEntity {
  id: string;
  name: string;
  canonicalName: string;
  entityType: string;
  agentId: string;
  description: string | null;
  mentions: number;
  pinned: boolean;
  pinnedAt: string | null;
  communityId: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface SummaryPage {
  summaries: SessionSummary[];
  total: number;
}

export interface SuspiciousEntity {
  id: string;
  name: string;
  reason: string;
}

export interface SyncError {
  resourceId: string;
  message: string;
  retryable: boolean;
}

/** Progress of a sync; `errors` has the first ones. */
export interface SyncProgress {
  jobId: string;
  filesSeen: number;
  documentsAdded: number;
  documentsUpdated: number;
  documentsRemoved: number;
  errorCount: number;
  errors: SyncError[];
}

/** The agent whose MEMORY.md to write; default: the default agent. */
export interface SynthesisBody {
  /** Who asks, for the log */
  trigger?: string | null | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
}

/** A MEMORY.md written by another program. */
export interface SynthesisCompleteBody {
  /** The new text of MEMORY.md. Required */
  content?: string | null | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
}

/** The settings of synthesis; `timeout` is in ms. */
export interface SynthesisConfig {
  enabled: boolean;
  harness: string;
  provider: string;
  model: string;
  schedule: string;
  timeout: number;
  maxTokens: number;
  idleGapMinutes: number;
}

/** The request that a run would send to a model now. */
export interface SynthesisRequest {
  harness: string;
  model: string;
  prompt: string;
  fileCount: number;
}

/** Whether the file is being written, and when it last was. */
export interface SynthesisStatus {
  running: boolean;
  lastRunAt: string | null;
  config: SynthesisConfig;
}

export interface Synthesised {
  success: boolean;
}

/** Fields of a task; the route decides which are required. */
export interface TaskBody {
  /** Name of the task; required for a new one */
  name?: string | null | undefined;
  /** The prompt that the harness runs; required for a new one */
  prompt?: string | null | undefined;
  /** When to run, such as `0 9 * * 1-5`; required for a new one */
  cronExpression?: string | null | undefined;
  /** IANA time zone of the cron expression */
  timezone?: string | null | undefined;
  /** Harness that runs it, such as `claude-code`; required for a new one */
  harness?: string | null | undefined;
  /** Folder to run in */
  workingDirectory?: string | null | undefined;
  /** Whether it is active */
  enabled?: boolean | null | undefined;
  /** A skill to use */
  skillName?: string | null | undefined;
  /** How to use the skill: `inject` or `slash` */
  skillMode?: string | null | undefined;
  /** Run without the harness's permission prompts */
  skipPermissions?: boolean | null | undefined;
}

export interface TaskPage {
  tasks: Record<string, unknown>[];
  presets: Record<string, string>[];
}

/** An event: no text, no question, no path. */
export interface TelemetryEvent {
  id: string;
  event: string;
  timestamp: string;
  properties: Record<string, unknown>;
}

/** Telemetry events, latest first, and whether telemetry is enabled. */
export interface TelemetryPage {
  events: TelemetryEvent[];
  enabled: boolean;
}

export interface TelemetryStats {
  enabled: boolean;
  totalEvents?: number;
  llm?: LlmStats;
  pipelineErrors?: number;
  pipelineErrorsByStage?: Record<string, number>;
  pipelineErrorsByCode?: Record<string, number>;
}

export interface Timeline {
  entityType: string;
  entityId: string;
  events: TimelineEvent[];
  generatedAt: string;
}

export interface TimelineEvent {
  timestamp: string;
  source: string;
  event: string;
  details: Record<string, unknown>;
}

export interface TimelineMeta {
  version: string;
  exportedAt: string;
  entityId: string;
}

/** An issued or used token, without the token itself; `sub` is its name. The last use is exact to a minute. */
export interface Token {
  jti: string;
  sub: string | null;
  role: string | null;
  scope: Record<string, unknown>;
  issuedAt: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
  lastSeenAt: string | null;
}

/** A token for another caller; a `ttlSeconds` that is not positive is ignored. */
export interface TokenBody {
  /** Role of the caller: `admin`, `operator`, `agent`, `readonly` or `monitor` */
  role: Role;
  /** What the token is limited to: `project`, `agent` or `user`, and `spaces` */
  scope?: ScopeBody | undefined;
  /** Lifetime in seconds */
  ttlSeconds?: number | null | undefined;
  /** Name of the key */
  sub?: string | null | undefined;
}

export interface Tokens {
  tokens: Token[];
  count: number;
}

/** A memory, and in how many sessions it was injected, helped and hurt; null if it is forgotten. */
export interface Told {
  id: string;
  content: string | null;
  given: number;
  helped: number;
  hurt: number;
}

export interface ToldMemory {
  /** ID of the memory */
  id: string;
  /** The text */
  content: string;
  /** Type, such as `decision` */
  type: string;
  /** How slowly it fades, 0–1 */
  importance: number;
  /** Time of saving */
  created_at: string;
}

/** The owner of the labels; `limit` and `epochs` are validated but have no effect: every label is read. */
export interface TrainBody {
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
  /** Has no effect: every label is read */
  limit?: number | undefined;
  /** Has no effect */
  epochs?: number | undefined;
}

/**
 * The result of recomputing from all labels: `samples_used` counts those used, `samples_skipped` the others.
 *
 * `step` is the rule from labels to factors, and `checkpoint_saved` whether any factor changed. No model is fitted,
 * so its loss, canary and file are null.
 */
export interface Trained {
  loss: number | null;
  step: number;
  samples_used: number;
  samples_skipped: number;
  duration_ms: number;
  canary_score_variance: number | null;
  canary_topk_stability: number | null;
  checkpoint_path: string | null;
  checkpoint_saved: boolean;
}

/**
 * An activation (`accepted`) or stop of learned ranking, after a number of sessions.
 *
 * No model is trained, so model fields are null; older stores have rows with a model.
 */
export interface Training {
  id: string;
  agentId: string;
  modelVersion: number;
  loss: number | null;
  sampleCount: number;
  durationMs: number;
  canaryNdcg: number | null;
  canaryNdcgDelta: number | null;
  canaryScoreVariance: number | null;
  canaryTopkChurn: number | null;
  createdAt: string;
  accepted: boolean | null;
  reason: string | null;
}

export interface Trainings {
  items: Training[];
}

export interface TranscriptExcerpt {
  /** Key of the session */
  sessionKey: string;
  /** Name of the agent that owns it */
  agentId: string;
  /** Short name of the program, such as `claude-code` */
  harness: string | null;
  /** Folder of its project; null for every project */
  project: string | null;
  /** Time of the message */
  at: string;
  /** The words around the match */
  excerpt: string;
  /** Number of matches in this session */
  hits: number;
}

/** Words to search for in transcripts. */
export interface TranscriptSearchBody {
  /** Words to search for. Required */
  query?: string | undefined;
  /** Maximum number of rows */
  limit?: number | undefined;
  /** Name of an agent, whose memories are read or changed. Default: the caller's own */
  agentId?: string | null | undefined;
  /** Only this session */
  sessionKey?: string | null | undefined;
  /** Only rows of this project: its folder, or its name if it is unique */
  project?: string | null | undefined;
}

/** Statistics of the latest graph walk, null before the first. */
export interface TraversalStatus {
  status: Record<string, unknown> | null;
}

/** The job that writes the file, or the reason why it was not queued. */
export interface TriggeredSynthesis {
  success: boolean;
  skipped: boolean;
  jobId?: string | null;
  reason?: string;
}

/** The earlier file is in place again; the replaced one is kept as a backup. */
export interface UndoneSynthesis {
  success: boolean;
  chars: number;
}

/** The number of active attributes without a source memory or an aspect. */
export interface UnfoundedAttributes {
  missingSourceMemory: number;
  missingAspect: number;
}

/** Log records that look like messages but have an unknown type, for one version of a harness. */
export interface UnknownRecords {
  harness: string;
  version: string | null;
  type: string;
  records: number;
}

/** Whether a new version exists; `checkError` explains a failed check. */
export interface UpdateCheck {
  currentVersion: string;
  latestVersion: string | null;
  updateAvailable: boolean;
  isMajorUpgrade: boolean;
  restartRequired: boolean;
  cached: boolean;
  checkedAt: string | null;
  releaseUrl?: string;
  publishedAt?: string;
  checkError?: string;
  pendingVersion?: string;
}

/** Settings to change; they are validated when written. */
export interface UpdateConfigBody {
  /** Install new versions automatically */
  autoInstall?: unknown;
  /** Look for new versions regularly */
  autoCheck?: unknown;
  /** Seconds between checks */
  checkInterval?: unknown;
}

/** The version to install; default: the newest. */
export interface UpdateRunBody {
  /** Version to install. Default: the newest */
  targetVersion?: string | null | undefined;
}

/** Settings of update checks, and the last result; the interval is in seconds. */
export interface UpdateSettings {
  autoInstall: boolean;
  autoCheck: boolean;
  checkInterval: number;
  channel: string;
  minInterval: number;
  maxInterval: number;
  pendingRestartVersion: string | null;
  lastAutoUpdateAt: string | null;
  lastAutoUpdateError: string | null;
  updateInProgress: boolean;
}

/** State of update checks. */
export interface UpdateStatus {
  currentVersion: string;
  latestVersion: string | null;
  updateAvailable: boolean;
  pendingRestart: string | null;
  autoInstall: boolean;
  checkInterval: number;
  lastCheckAt: string | null;
  lastError: string | null;
  timerActive: boolean;
}

export interface Usage {
  endpoints: Record<string, Record<string, number>>;
  providers: Record<string, Record<string, number>>;
  actors: Record<string, Record<string, number>>;
  connectors: Record<string, Record<string, number>>;
}

/** Where an item was used: the message's number in the transcript, from 0, and the tool of a call. */
export interface UsedIn {
  turn?: number;
  tool?: string;
}

/**
 * What a key may do in a space.
 *
 * `read`: receive its memories. `promote`: share memories into it and withdraw them. `write`: change and forget its
 * memories, withdraw those of others, and decide about proposals.
 */
export type Verb = "read" | "write" | "promote";

/** A person's verdict on a memory. */
export interface VerdictBody {
  /** Owner of the memory. Default: the caller's own agent */
  agentId?: string | null | undefined;
  /** `keep`: the pipeline never changes it. `fade`: it counts half. `wrong`: it is forgotten as untrue. `none` removes the verdict */
  verdict: "keep" | "fade" | "wrong" | "none";
}

/** A page of waiting memories, newest first; `next` is the cursor of the next one, `total` counts all. */
export interface WaitingMemories {
  memories: WaitingMemory[];
  next: string | null;
  total: number;
}

/**
 * A memory that waits for approval.
 *
 * `review` is `waiting` if it is not injected unasked, and `replaces` if it would replace the memories in
 * `replaces`, whose origin is higher.
 */
export interface WaitingMemory {
  id: string;
  content: string;
  says: string;
  origin: string;
  who: string | null;
  source_type: string | null;
  created_at: string;
  project: string | null;
  agent_id: string;
  review: string;
  replaces?: string[];
}

/**
 * The caller's identity; `claims` are those of a token with a role.
 *
 * `standing`: owner, peer, claims or page (domain/auth/caller.py).
 */
export interface WhoAmI {
  /** How the daemon knows the caller: `owner`, `peer`, `claims` (a key), `page` (the dashboard) or `stranger` */
  standing: string;
  /** Whether the request had a valid key */
  authenticated: boolean;
  /** Role and limits of the key */
  claims: Record<string, unknown> | null;
  /** `auth.mode` of the daemon */
  mode: string;
  /** The caller's rights; `admin` contains the others */
  permissions: string[];
  /** Whether the caller is a program of the daemon's user */
  trustedLocal: boolean;
  /** Always null; a request with an invalid key is refused */
  error: string | null;
}

export interface WholeAgent {
  id: string;
  name: string;
  read_policy: string;
  reads: string;
  policy_group: string | null;
  created_at: string;
  updated_at: string;
  memories: Record<string, number>;
  files: string[];
}

/**
 * An entity with its dependency counts in both directions, and its task or skill fields.
 *
 * `suppressed`: a person excluded it from graph walks.
 */
export interface WholeEntity {
  aspectCount: number;
  attributeCount: number;
  constraintCount: number;
  dependencyCount: number;
  entity: StoredEntity;
  structuralDensity: EntityCounts;
  incomingDependencyCount: number;
  outgoingDependencyCount: number;
  suppressed: boolean;
  task?: EntityTask;
  skill?: EntitySkill;
}

/** One job with all fields; `errors` are its last five. */
export interface WholeJob {
  id: string;
  memory_id: string | null;
  document_id: string | null;
  job_type: string;
  says: string;
  queue: string;
  status: string;
  attempt_count: number;
  attempts: number;
  max_attempts: number;
  next_attempt_at: string | null;
  last_error: string | null;
  last_error_code: string | null;
  error: string | null;
  result: unknown;
  leased_at: string | null;
  completed_at: string | null;
  failed_at: string | null;
  created_at: string;
  updated_at: string;
  priority: number;
  agent_id: string | null;
  parent_id: string | null;
  payload: unknown;
  errors: unknown[];
  runs_total: number;
  crashes: number;
  lease_owner: string | null;
  lease_token: number;
  cancel_requested: boolean;
  due_at: string;
}

export interface WholeMemory {
  /** Its ID */
  id: string;
  /** The text */
  content: string;
  /** Type and source in words */
  says: string;
  /** Time of saving */
  created_at: string;
  /** Name of the author */
  who: string | null;
  /** How slowly it fades, 0–1 */
  importance: number;
  /** Tags, separated by commas */
  tags: string | null;
  /** Kind of source, such as `manual` or `session` */
  source_type: string | null;
  /** Type, such as `decision` */
  type: string;
  /** Time of the last change */
  updated_at: string;
  /** Folder of its project; null for every project */
  project: string | null;
  /** Name of the agent that owns it */
  agent_id: string;
  /** `global` or `private`, or the space */
  visibility: string;
  /** Name of a separate part of the store */
  scope: string | null;
  /** The same as `session_id` */
  session_id: string | null;
  /** ID of the source, in its terms */
  source_id: string | null;
  /** When it happened, if not at `created_at` */
  event_at: string | null;
  /** Time from which it is true */
  valid_from: string | null;
  /** Time until which it is true */
  valid_to: string | null;
  /** ID of the memory that replaced it */
  superseded_by: string | null;
  /** How often it was found or injected */
  access_count: number;
  /** When it was last found or injected */
  last_accessed: string | null;
  /** Number of the version; each change adds 1 */
  version: number;
  /** When it was forgotten */
  deleted_at: string | null;
  /** Whose words they are: `user`, `agent`, `inferred`, `imported`, `tool` or `web` */
  origin: string;
  /** `waiting` if the text needs approval before agents receive it unasked */
  review: string | null;
  /** 1 if it never fades */
  pinned: number;
  /** The same as `session_id` */
  sessionId: string | null;
  /** File that it was imported from */
  source_path: string | null;
  /** For a fact: how certain the reader was, 0–1 */
  confidence: number | null;
  /** 1 if it is forgotten */
  is_deleted: number;
  /** Whether facts were read from it: `none`, `pending`, `completed` or `failed` */
  extraction_status: string | null;
  /** Model of its vector */
  embedding_model: string | null;
  /** Who changed it last */
  updated_by: string | null;
}

export interface WholeSkill {
  name: string;
  description: string;
  version: string | null;
  author: string | null;
  maintainer: string | null;
  license: string | null;
  homepage: string | null;
  user_invocable: boolean;
  arg_hint: string | null;
  verified: boolean;
  builtin: boolean;
  role: string;
  permissions: string[];
  triggers: string[];
  tags: string[];
  dependencies: Record<string, string[]>;
  path: string;
  content: string;
}

export interface WholeTask {
  task: Record<string, unknown>;
  runs: Record<string, unknown>[];
}
