"""`sfumato attack`."""

from __future__ import annotations

import argparse
from pathlib import Path

from sfumato.cli.options import whole

EXAMPLES = """  sfumato attack friends.parquet --plan attack.toml
  sfumato attack friends.parquet --plan attack.toml --seed 1 --json
  sfumato attack friends.parquet --plan attack.toml --against mu 1e-4 1e-3 1e-2 -o mu.html

a plan:
  runs = 20
  [method]
  name = "edge-perturbation"
  mu = 0.001
  [attack]                      # left out: likelihood-beam, the strongest here
  name = "interval-walk\""""


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("graph", help="an edge list, as a job's source.path")
    parser.add_argument("--plan", type=Path, required=True, help="a TOML file; see below")
    parser.add_argument("--seed", type=whole(0), help="repeat a trial exactly; default: a new one")
    parser.add_argument("--workers", type=whole(1), help="threads; default: all cores")
    parser.add_argument(
        "--against",
        nargs="+",
        metavar=("NAME", "VALUE"),
        help="a parameter of the method and values: attack each, beside errors and density",
    )
    parser.add_argument("-o", "--output", type=Path, help="with --against: a page with charts")


def run(options: argparse.Namespace) -> int:
    """Show how often the attack succeeded; a success is a finding, not a failure of the command."""
    from sfumato.cli.show import progress, say, show_tables
    from sfumato.core.run import Run
    from sfumato.pipeline.attack import attack_tables, attacked, read_attacked
    from sfumato.pipeline.attack_against import against, check_page, write_page
    from sfumato.pipeline.attack_plan import read_plan

    plan = read_plan(options.plan)
    settings = against(plan, options.against)
    check_page(options.output, settings)
    with progress() as tell:
        seed, workers = options.seed, options.workers
        run = Run.secure(workers, tell) if seed is None else Run.seeded(seed, workers, tell)
        graph = read_attacked(options.graph, plan, run.workers)
        if not settings:
            show_tables(attack_tables(graph, plan, attacked(graph, plan, run)), options.json)
            return 0
        compared = settings.carry_out(graph, run)
    show_tables([compared.table], options.json)
    if options.output:
        write_page(compared, options.output)
        say(f"{options.output}  (owner's report, not for publication)", options.json)
    return 0
