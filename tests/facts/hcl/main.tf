terraform {
#^^^ def block terraform
  required_version = "1"
}
# Where it runs.
variable "region" {
#         ^^^^^^ def variable var.region
  default = "eu"
}
locals {
  owner = "me"
# ^^^^^ def variable local.owner
  tags  = { a = 1 }
# ^^^^ def variable local.tags
}
provider "aws" {
#         ^^^ def block provider.aws
  region = var.region
}
data "aws_ami" "linux" {
#               ^^^^^ def block data.aws_ami.linux
  most_recent = true
}
resource "aws_instance" "web" {
#                        ^^^ def block aws_instance.web
  ami = data.aws_ami.linux.id
  lifecycle {
    create_before_destroy = true
  }
  dynamic "setting" {
    content {}
  }
}
module "network" {
#       ^^^^^^^ def block module.network
  source = "./network"
}
output "ip" {
#       ^^ def block output.ip
  value = aws_instance.web.ip
}
################
# Size
################
variable "size" {
#         ^^^^ def variable var.size
  description = "How \"large\" it is"
  type        = number
}
output "note" {
  value       = 1
  description = <<-EOT
    More than
    one line
  EOT
}
