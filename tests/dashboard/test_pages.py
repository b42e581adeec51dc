"""Everything that needs the browser: one file, so that one process runs it with one daemon."""

from dashboard.addresses import (
    test_an_unknown_address_leads_to_today,
    test_back_and_reload_give_the_same_view,
)
from dashboard.changes import (
    test_an_earlier_day_is_compared_with_now,
    test_the_log_is_followed_and_stands_still,
    test_what_is_added_in_the_page_is_there_and_can_be_removed,
)
from dashboard.consent import (
    test_a_page_opened_by_its_address_reads_and_changes_memory_and_runs_nothing,
    test_settings_are_asked_about,
    test_what_is_declined_does_not_happen,
)
from dashboard.helps import test_whether_memory_helps_is_said_and_learning_is_switched
from dashboard.hostile import hostile, test_no_text_of_a_stranger_becomes_a_script
from dashboard.keyboard import (
    test_dialogs_keep_the_focus_and_give_it_back,
    test_tab_goes_through_a_view_in_its_order,
    test_what_a_list_opens_takes_the_focus_and_gives_it_back,
)
from dashboard.memories import (
    test_a_forgotten_memory_is_listed_recovered_and_erased,
    test_find_read_why_edit_forget_undo_and_recover_with_keys,
    test_looking_changes_nothing,
    test_terms_in_the_field_narrow_the_list_instead_of_being_asked,
    test_texts_of_strangers_are_texts,
    test_what_a_removed_agent_knew_is_read_and_remembered_again,
    test_who_edits_what_another_window_has_changed_sees_both_texts,
    test_why_not_and_as_a_prompt,
)
from dashboard.others import (
    test_a_dead_job_is_tried_again_and_a_repair_previewed_and_run_with_keys,
    test_a_file_that_changed_on_disk_is_not_overwritten_unseen,
    test_a_project_filters_every_room,
    test_the_map_goes_from_one_entity_to_the_next_with_keys,
    test_what_a_session_was_shown_wrongly_is_limited_to_its_project,
    test_what_is_saved_elsewhere_appears_by_itself,
    test_yesterdays_session_tells_what_was_given_and_why,
    two_died,
)
from dashboard.restored import (
    test_a_running_session_has_a_title_and_is_bypassed,
    test_an_answer_says_that_new_texts_are_not_searched_yet,
)
from dashboard.rooms import (
    test_every_view_is_quiet_accessible_and_needs_no_mouse,
)
from dashboard.shared import test_a_memory_is_shared_decided_about_and_withdrawn
from dashboard.states import (
    test_a_cut_stream_is_mended_and_nothing_is_missed,
    test_a_daemon_that_has_too_much_to_do_is_asked_again,
    test_an_empty_list_says_why_it_is_empty,
    test_what_is_shown_stays_while_the_daemon_does_not_answer,
    test_work_that_only_takes_time_needs_nobody,
)
from dashboard.triage import (
    test_all_that_match_are_forgotten_by_the_daemon_and_come_back,
    test_new_memories_are_kept_rejected_and_faded_with_keys,
)

__all__ = [
    "hostile",
    "test_a_cut_stream_is_mended_and_nothing_is_missed",
    "test_a_daemon_that_has_too_much_to_do_is_asked_again",
    "test_a_dead_job_is_tried_again_and_a_repair_previewed_and_run_with_keys",
    "test_a_file_that_changed_on_disk_is_not_overwritten_unseen",
    "test_a_forgotten_memory_is_listed_recovered_and_erased",
    "test_a_memory_is_shared_decided_about_and_withdrawn",
    "test_a_page_opened_by_its_address_reads_and_changes_memory_and_runs_nothing",
    "test_a_project_filters_every_room",
    "test_a_running_session_has_a_title_and_is_bypassed",
    "test_all_that_match_are_forgotten_by_the_daemon_and_come_back",
    "test_an_answer_says_that_new_texts_are_not_searched_yet",
    "test_an_earlier_day_is_compared_with_now",
    "test_an_empty_list_says_why_it_is_empty",
    "test_an_unknown_address_leads_to_today",
    "test_back_and_reload_give_the_same_view",
    "test_dialogs_keep_the_focus_and_give_it_back",
    "test_every_view_is_quiet_accessible_and_needs_no_mouse",
    "test_find_read_why_edit_forget_undo_and_recover_with_keys",
    "test_looking_changes_nothing",
    "test_new_memories_are_kept_rejected_and_faded_with_keys",
    "test_no_text_of_a_stranger_becomes_a_script",
    "test_settings_are_asked_about",
    "test_tab_goes_through_a_view_in_its_order",
    "test_terms_in_the_field_narrow_the_list_instead_of_being_asked",
    "test_texts_of_strangers_are_texts",
    "test_the_log_is_followed_and_stands_still",
    "test_the_map_goes_from_one_entity_to_the_next_with_keys",
    "test_what_a_list_opens_takes_the_focus_and_gives_it_back",
    "test_what_a_removed_agent_knew_is_read_and_remembered_again",
    "test_what_a_session_was_shown_wrongly_is_limited_to_its_project",
    "test_what_is_added_in_the_page_is_there_and_can_be_removed",
    "test_what_is_declined_does_not_happen",
    "test_what_is_saved_elsewhere_appears_by_itself",
    "test_what_is_shown_stays_while_the_daemon_does_not_answer",
    "test_whether_memory_helps_is_said_and_learning_is_switched",
    "test_who_edits_what_another_window_has_changed_sees_both_texts",
    "test_why_not_and_as_a_prompt",
    "test_work_that_only_takes_time_needs_nobody",
    "test_yesterdays_session_tells_what_was_given_and_why",
    "two_died",
]
