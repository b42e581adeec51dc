from signet.db.visibility import Reader, ReadPolicy, Where, readable
from signet.domain.agents import registry
from signet.domain.agents.registry import Agent


def test_an_unknown_agent_is_isolated_and_the_default_one_shares() -> None:
    assert registry.policy_reader("stranger", None).policy is ReadPolicy.ISOLATED
    assert registry.policy_reader("default", None).policy is ReadPolicy.SHARED


def test_a_known_agent_has_the_policy_it_was_given() -> None:
    agent = Agent(id="default", read_policy=ReadPolicy.GROUP, policy_group="crew")
    reader = registry.policy_reader("default", agent, scope="s")
    assert reader == Reader(agent_id="default", policy=ReadPolicy.GROUP, group="crew", scope="s")


def test_a_group_policy_without_group_sees_its_own_rows() -> None:
    where = readable(Reader(agent_id="a", policy=ReadPolicy.GROUP))
    assert "policy_group" not in where.sql
    assert where.params == ("a", None)


def test_conditions_keep_their_parameters_in_order() -> None:
    both = Where("a = ?", (1,)) & Where("b = ?", (2,))
    assert (both.sql, both.params) == ("a = ? AND b = ?", (1, 2))
