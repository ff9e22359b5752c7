"""Files with one system's scores, which the command line and the site's page read alike, or refuse alike."""

from __future__ import annotations

TASKS = ("bug_issue", "issue_type", "sentiment")
# Each has 0.5 on bug_issue and 0.25 on issue_type; the system is called mine, or nothing.
READ = [
    "task,score\nbug_issue,0.5\nIssue-Type,.25\nsentiment,\n",
    "\ufefftask;score;system\r\nbug issue;0.5;mine\r\nissue_type;0.25;mine\r\n",
    "\n\ntask;score\nbug_issue;0.5\nissue_type;0.25\n",
    "system\tbug_issue\tissue_type\tsentiment\nmine\t0.5\t2.5e-1\t\n",
    '\n"Task","Score"\n"bug_issue"," 0.5 "\n\nissue_type,0.25\n',
    "task,score\nbug_issue,50 %\nissue_type,25.0%\nsentiment,n/a\n",
    "task;score\nbug_issue;0,5\nissue_type;0,25\nsentiment;NaN\n",
    "bug_issue,issue_type,sentiment\n0.5,0.25,-\n",
    '{"bug_issue": 0.5, "issue_type": 0.25}',
]
# What is said of each; in the sentence, the file is called mine.csv.
REFUSED = [
    ("", "the file is empty"),
    ("task,score\n", "no row comes after it"),
    ("t\0a\0s\0k\0", "the file holds zero bytes"),
    ("task,score\nbug_issue,\n", "holds no score: each field of a task is empty"),
    ("task,score\nbug_isue,0.5\n", "row 2: there is no task 'bug_isue'; did you mean 'bug_issue'"),
    (
        "task,score\nbug_issue,0.5\n\nbug-issue,0.6\n",
        "row 4, column score: mine.csv has two scores on bug_",
    ),
    ("task,score\nbug_issue,1\nbug_issue,1\n", "row 3, column task: 'bug_issue' is given twice (rows 2 and 3)"),
    ("task,score\nbug_issue,good\n", "row 2, column score: 'good' is not a number"),
    ("task,score\nbug_issue,=1+1\n", "row 2, column score: '=1+1' is not a number"),
    ("task,score\nbug_issue,1_0\n", "row 2, column score: '1_0' is not a number"),
    ("task,score\nbug_issue,85.3\n", "row 2, column score: 85.3 on bug_issue is not in 0 to 1"),
    ("task,score\nbug_issue,-0.1\n", "row 2, column score: -0.1 on bug_issue is not in 0 to 1"),
    ("task,score\nbug_issue\n", "row 2 has 1 columns, row 1 has 2"),
    ("task,score,score\nbug_issue,1,1\n", "row 1 has the column 'score' twice"),
    ('task,score\n"bug_issue,0.5\n', "is not CSV: a quotation mark is not closed"),
    ("task,score,system\nbug_issue,0.5,a\nissue_type,0.5,b\n", "has 2 systems, a and b among them"),
    ("bug_issue,nonsuch\n0.5,0.5\n", "row 2: there is no task 'nonsuch'"),
    ("bug_issue,bug issue\n0.5,0.5\n", "column bug issue: mine.csv has two scores on bug_issue"),
    ("bug_issue,sentiment\n0.5,0.6\n0.6,0.5\n", "has 2 systems"),
    ("task,score\n" + "".join(f"t{i},0.5\n" for i in range(20_000)), "In all, 20,000 rows can't be used"),
    ("bug_issue,0.5\nissue_type,0.6\n", "row 1 names no task"),
    ("0.5,0.6\n0.7,0.8\n", "row 1 names no task"),
]
